// SPDX-License-Identifier: Apache-2.0
// Columns as Spark SQL declares them: `id bigint not null, price decimal(10,2), emb vector(384)`.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// Columns of `ddl` as Arrow types; those of the table's schema when a table is made of them. Names
/// may stand in backquotes; type names are those of Spark SQL and `vector(D[, float|double|int8])`,
/// in any case; `NOT NULL` makes a column required, a `COMMENT '...'` is skipped. tinyint and
/// smallint are stored as int, char and varchar as string: so does Hudi.
/// Errors: kInvalidArgument with the position and what was expected.
Result<std::shared_ptr<arrow::Schema>> ParseSchemaDdl(std::string_view ddl);

}  // namespace firth
