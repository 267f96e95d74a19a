// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/util.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/expression.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdlib>

#include "firth/scan/predicate.h"

namespace {

std::shared_ptr<arrow::RecordBatch> OneNullRow() {
  const auto schema = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::int64()),
       arrow::field("c", arrow::decimal128(10, 2)), arrow::field("d", arrow::float64()),
       arrow::field("e", arrow::float32()), arrow::field("f", arrow::utf8()),
       arrow::field("g", arrow::boolean()), arrow::field("h", arrow::date32()),
       arrow::field("i", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("j", arrow::timestamp(arrow::TimeUnit::MILLI)),
       arrow::field("k", arrow::binary()),
       arrow::field("l", arrow::struct_({arrow::field("m", arrow::int8())}))});
  arrow::ArrayVector columns;
  for (const auto& field : schema->fields()) {
    columns.push_back(arrow::MakeArrayOfNull(field->type(), 1).ValueOrDie());
  }
  return arrow::RecordBatch::Make(schema, 1, std::move(columns));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  static const std::shared_ptr<arrow::RecordBatch> batch = OneNullRow();
  if (!initialized.ok()) std::abort();
  const auto parsed = firth::ParsePredicate(
      std::string_view(reinterpret_cast<const char*>(data), size), *batch->schema());
  if (!parsed.ok()) return 0;
  // What parses must bind and run.
  const auto bound = parsed->Bind(*batch->schema());
  if (!bound.ok()) std::abort();
  const auto value =
      arrow::compute::ExecuteScalarExpression(*bound, arrow::compute::ExecBatch(*batch));
  if (!value.ok()) std::abort();
  return 0;
}
