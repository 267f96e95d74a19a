// SPDX-License-Identifier: Apache-2.0
// How the versions of a slice's records become one: the table's merge rules, bound to columns.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/read/ordering.h"
#include "firth/read/record_key.h"
#include "firth/read/slice_reader.h"
#include "firth/record_merger.h"

namespace firth {

/// The sixth meta column of tables that change logs are written to: "I", "U", "-U" or "D". The
/// schema of such a table does not name it, the schemas of its files do.
inline constexpr std::string_view kOperationField = "_hoodie_operation";

/// Which rows of a log data block are deletes (spec 02, 4.4).
class DeleteRules {
 public:
  DeleteRules() = default;
  DeleteRules(const MergeSpec& spec, const arrow::Schema& rows);
  static std::vector<std::string> Columns(const MergeSpec& spec);
  /// Sets row_flag::kDelete.
  Status Mark(const arrow::RecordBatch& rows, std::vector<uint8_t>* flags) const;

 private:
  int is_deleted_ = -1;
  int operation_ = -1;
  int marked_ = -1;  // the custom delete field
  std::string marker_;
};

/// The default of a column in the table's schema, as far as a value can be told to equal it.
struct ColumnDefault {
  enum class Kind : uint8_t { kNone, kNull, kBoolean, kInteger };
  Kind kind = Kind::kNone;
  int64_t value = 0;
};

struct MergePlan {
  bool event_time = false;  // otherwise the later commit wins
  PartialUpdateMode partial_update = PartialUpdateMode::kNone;
  std::string unavailable_value;
  /// Columns of `rows` that a late update, one that is older by ordering, sets all the same: the
  /// meta columns of PartialUpdateAvroPayload tables before version 9; empty: none.
  std::vector<bool> set_by_late_updates;
  std::shared_ptr<const RecordMerger> merger;  // instead of the rules above
  std::shared_ptr<arrow::Schema> rows;         // columns that records are decoded into
  OrderingCodec ordering;
  RecordKeys keys;
  DeleteRules deletes;
  std::vector<ColumnDefault> defaults;  // per column of `rows`

  /// Whether a result can take columns from several versions, whatever the blocks hold.
  bool combines() const { return merger != nullptr || partial_update != PartialUpdateMode::kNone; }
};

/// Columns of the full schema, in its order, that a read of `options` must have at hand; with
/// `merging` also those that merging looks at. The row numbers, if wanted, are the last column.
/// Errors: kNotFound for an unknown column.
Result<std::shared_ptr<arrow::Schema>> NeededColumns(const ReadContext& context,
                                                     const SliceReadOptions& options, bool merging);

/// `columns` with the operation column at the end, unless it is among them.
Result<std::shared_ptr<arrow::Schema>> WithOperationColumn(std::shared_ptr<arrow::Schema> columns);

/// `rows` are the NeededColumns of a merging read, or WithOperationColumn of them. Errors:
/// kUnsupported when the table has a custom payload or merger that nobody registered, naming it.
Result<MergePlan> MakeMergePlan(const ReadContext& context, std::shared_ptr<arrow::Schema> rows);

}  // namespace firth
