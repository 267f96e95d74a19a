// SPDX-License-Identifier: Apache-2.0
// Any bytes as the log file of a slice: scanning, decoding and merging end in rows or in an error.
// Rows must not depend on the memory budget.
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdlib>
#include <string_view>

#include "firth/read/slice_reader.h"
#include "firth/testing/memory_storage.h"

namespace {

using namespace firth;  // NOLINT: a fuzz target is one small program

std::shared_ptr<ReadContext> MakeContext(std::string_view log) {
  auto context = std::make_shared<ReadContext>();
  context->storage = testing::MemoryStorage({{".f_1.log.1_0-1-0", std::string(log)}});
  context->config.name = "t";
  context->config.version = 9;
  context->config.merge.mode = MergeMode::kEventTime;
  context->config.merge.ordering_fields = {"ts"};
  arrow::FieldVector fields;
  for (const std::string& name : MetaFieldNames()) {
    fields.push_back(arrow::field(name, arrow::utf8()));
  }
  fields.push_back(arrow::field("id", arrow::int32()));
  fields.push_back(arrow::field("name", arrow::utf8()));
  fields.push_back(arrow::field("price", arrow::float64()));
  fields.push_back(arrow::field("ts", arrow::int64()));
  context->schema.full = arrow::schema(std::move(fields));
  return context;
}

// Rows, or -1 after an error.
int64_t CountRows(const std::shared_ptr<ReadContext>& context, int64_t memory_budget) {
  FileSlice slice;
  slice.file_id = "f";
  LogFile log;
  log.path = ".f_1.log.1_0-1-0";
  slice.logs.push_back(log);
  SliceReadOptions options;
  options.columns = context->schema.full->field_names();
  options.memory_budget = memory_budget;
  const auto stream = OpenSlice(context, slice, options, std::make_shared<SliceReadMetrics>());
  if (!stream.ok()) return -1;
  int64_t rows = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!(*stream)->ReadNext(&batch).ok()) return -1;
    if (batch == nullptr) return rows;
    if (!batch->Validate().ok()) std::abort();
    rows += batch->num_rows();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto context = MakeContext({reinterpret_cast<const char*>(data), size});
  const int64_t rows = CountRows(context, int64_t{1} << 30);
  if (rows != CountRows(context, 500)) std::abort();
  return 0;
}
