// SPDX-License-Identifier: Apache-2.0
// What crosses into Python: schemas and streams of the Arrow C data interface, in capsules. Batches
// are handed over by pointer, never copied.
#pragma once

#include <arrow/type_fwd.h>
#include <nanobind/nanobind.h>

#include <memory>

namespace firth::python {

/// A capsule "arrow_schema".
nanobind::object SchemaCapsule(const arrow::Schema& schema);

/// The schema that a capsule "arrow_schema" holds; the capsule is empty afterwards.
std::shared_ptr<arrow::Schema> SchemaFromCapsule(const nanobind::object& capsule);

/// A capsule "arrow_array_stream" that owns `reader`.
nanobind::object StreamCapsule(std::shared_ptr<arrow::RecordBatchReader> reader);

void BindTable(nanobind::module_& module);
void BindSearch(nanobind::module_& module);
void BindIndex(nanobind::module_& module);
void BindWriter(nanobind::module_& module);

}  // namespace firth::python
