// SPDX-License-Identifier: Apache-2.0
// Generated tables of one slice, opened for reading. For tests.
#pragma once

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firth/read/slice_reader.h"
#include "firth/table/file_system_view.h"
#include "firth/testing/json_rows.h"
#include "firth/testing/table_builder.h"

namespace firth {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "firth-read-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string table() const { return (path_ / "t").string(); }

 private:
  std::filesystem::path path_;
};

inline std::shared_ptr<arrow::Schema> PlainSchema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("ts", arrow::int64()),
                        arrow::field("name", arrow::utf8()), arrow::field("n", arrow::int64())});
}

// Rows first, first + step, ...; `n` is `n_base` plus the id.
inline std::shared_ptr<arrow::RecordBatch> PlainRows(int64_t first, int64_t count, int64_t step,
                                                     int64_t ts, int64_t n_base) {
  arrow::Int64Builder ids, times, numbers;
  arrow::StringBuilder names;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = first + i * step;
    EXPECT_TRUE(ids.Append(id).ok());
    EXPECT_TRUE(times.Append(ts).ok());
    EXPECT_TRUE(names.Append(fmt::format("name of {} at {}", id, ts)).ok());
    EXPECT_TRUE(numbers.Append(n_base + id).ok());
  }
  return arrow::RecordBatch::Make(PlainSchema(), count,
                                  {ids.Finish().ValueOrDie(), times.Finish().ValueOrDie(),
                                   names.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
}

inline testing::TableSpec PlainSpec() {
  testing::TableSpec spec;
  spec.schema = PlainSchema();
  spec.ordering_field = "ts";
  return spec;
}

// A table opened for reading.
struct OpenTable {
  std::shared_ptr<ReadContext> context = std::make_shared<ReadContext>();
  std::vector<FileSlice> slices;
  std::shared_ptr<SliceReadMetrics> metrics = std::make_shared<SliceReadMetrics>();

  explicit OpenTable(const std::string& path) {
    const auto storage = Storage::Open(path, {}).ValueOrDie();
    context->storage = storage;
    context->config = TableConfig::Load(*storage).ValueOrDie();
    context->timeline = Timeline::Load(storage, context->config.timeline).ValueOrDie();
    context->schema =
        ResolveTableSchema(*storage, context->config, context->timeline, "").ValueOrDie();
    const ViewContext view = LoadViewContext(context->timeline).ValueOrDie();
    slices = SnapshotSlices(context->config, context->timeline, view, "",
                            storage->List("").ValueOrDie(), "")
                 .ValueOrDie();
  }

  Result<std::vector<nlohmann::json>> Read(SliceReadOptions options) const {
    if (options.columns.empty()) options.columns = context->schema.data->field_names();
    std::vector<nlohmann::json> rows;
    for (const FileSlice& slice : slices) {
      ARROW_ASSIGN_OR_RAISE(const auto stream, OpenSlice(context, slice, options, metrics));
      std::shared_ptr<arrow::RecordBatch> batch;
      while (true) {
        ARROW_RETURN_NOT_OK(stream->ReadNext(&batch));
        if (batch == nullptr) break;
        EXPECT_LE(batch->num_rows(), options.batch_rows);
        EXPECT_TRUE(batch->schema()->Equals(*stream->schema()));
        testing::AppendJsonRows(*batch, &rows);
      }
    }
    return rows;
  }
};

inline std::vector<nlohmann::json> Sorted(std::vector<nlohmann::json> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace firth
