// SPDX-License-Identifier: Apache-2.0
#include "firth/scan.h"

#include <arrow/record_batch.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "firth/api/table_impl.h"

namespace firth {
namespace {

constexpr int64_t kMaxBatchRows = 16'777'216;
constexpr int64_t kMinMemoryBudget = int64_t{16} << 20;
constexpr int kSplitVersion = 1;

// The names say everything a reader needs; sizes save a request.
Result<FileSlice> ToFileSlice(const FileSliceEntry& entry) {
  FileSlice slice;
  slice.partition = entry.partition;
  slice.file_id = entry.file_id;
  slice.base_instant = entry.base_instant;
  if (entry.base_file) {
    slice.base = ParseBaseFileName(*entry.base_file, entry.base_bytes);
    if (!slice.base) return InvalidError("split names no base file: \"{}\"", *entry.base_file);
  }
  for (const std::string& path : entry.log_files) {
    std::optional<LogFile> log = ParseLogFileName(path, -1);
    if (!log) return InvalidError("split names no log file: \"{}\"", path);
    slice.logs.push_back(*std::move(log));
  }
  return slice;
}

}  // namespace

Status ScanOptions::Validate() const {
  if (batch_rows < 1 || batch_rows > kMaxBatchRows) {
    return InvalidError("batch_rows is {}; must be 1 to {}", batch_rows, kMaxBatchRows);
  }
  if (threads < 0) return InvalidError("threads is {}; must be 0 (one per core) or more", threads);
  if (memory_budget < kMinMemoryBudget) {
    return InvalidError("memory_budget is {} bytes; must be at least {}", memory_budget,
                        kMinMemoryBudget);
  }
  if (query != QueryType::kIncremental && (!begin.empty() || end)) {
    return InvalidError("begin and end belong to incremental reads");
  }
  if (query == QueryType::kIncremental && begin.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "begin is empty; must be an instant, a timestamp or a date",
                     "say \"earliest\" to begin at the beginning");
  }
  if (end && end->empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "end is empty; must be an instant, a timestamp or a date",
                     "leave it out to end at the snapshot");
  }
  return Status::OK();
}

std::string Split::Serialize() const {
  nlohmann::json json = {{"version", kSplitVersion},     {"partition", slice.partition},
                         {"file_id", slice.file_id},     {"base_instant", slice.base_instant},
                         {"log_files", slice.log_files}, {"base_bytes", slice.base_bytes},
                         {"log_bytes", slice.log_bytes}};
  if (slice.base_file) json["base_file"] = *slice.base_file;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Split> Split::Deserialize(std::string_view bytes) {
  const nlohmann::json json = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
  };
  if (!json.is_object() || number("version") != kSplitVersion) {
    return InvalidError("bytes are not a split of this firth version");
  }
  Split split;
  split.slice.partition = text("partition");
  split.slice.file_id = text("file_id");
  split.slice.base_instant = text("base_instant");
  if (json.contains("base_file")) split.slice.base_file = text("base_file");
  split.slice.base_bytes = number("base_bytes");
  split.slice.log_bytes = number("log_bytes");
  const auto logs = json.find("log_files");
  if (logs != json.end() && logs->is_array()) {
    for (const auto& log : *logs) {
      if (log.is_string()) split.slice.log_files.push_back(log.get<std::string>());
    }
  }
  ARROW_RETURN_NOT_OK(ToFileSlice(split.slice));
  return split;
}

ScanPlan::ScanPlan(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::shared_ptr<arrow::Schema> ScanPlan::schema() const { return impl_->plan->schema; }

const std::vector<Split>& ScanPlan::splits() const { return impl_->splits; }

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanPlan::ReadSplit(const Split& split) const {
  ARROW_ASSIGN_OR_RAISE(FileSlice slice, ToFileSlice(split.slice));
  return OpenSlice(impl_->plan->context, std::move(slice), impl_->plan->read,
                   impl_->meter.metrics());
}

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanPlan::ReadAll() const {
  return ReadPlannedScan(impl_->plan, impl_->options, impl_->meter.metrics());
}

ScanReport ScanPlan::Report() const { return impl_->meter.Report(impl_->plan->report); }

}  // namespace firth
