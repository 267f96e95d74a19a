// SPDX-License-Identifier: Apache-2.0
#include "firth/testing/table_builder.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/initialize.h>
#include <arrow/datum.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <type_traits>
#include <utility>

namespace firth::testing {
namespace {

constexpr int kKeyColumn = 2;

Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& rows,
                                                     const std::vector<int64_t>& indices) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(indices));
  ARROW_ASSIGN_OR_RAISE(const auto array, builder.Finish());
  const auto batch = arrow::RecordBatch::Make(rows.schema(), rows.num_rows(), rows.columns());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(batch, array));
  return taken.record_batch();
}

/// The ordering value of a row as a delete block would carry it; null for null.
Result<OrderingValue> OrderingOf(const arrow::Array& column, int64_t row) {
  using Kind = OrderingValue::Kind;
  if (column.IsNull(row)) return OrderingValue{};
  switch (column.type_id()) {
    case arrow::Type::INT32:
      return OrderingValue{Kind::kInt,
                           int64_t{static_cast<const arrow::Int32Array&>(column).Value(row)}};
    case arrow::Type::INT64:
      return OrderingValue{Kind::kLong, static_cast<const arrow::Int64Array&>(column).Value(row)};
    case arrow::Type::TIMESTAMP:
      return OrderingValue{Kind::kLong,
                           static_cast<const arrow::TimestampArray&>(column).Value(row)};
    case arrow::Type::DOUBLE:
      return OrderingValue{Kind::kDouble,
                           static_cast<const arrow::DoubleArray&>(column).Value(row)};
    case arrow::Type::STRING:
      return OrderingValue{Kind::kString,
                           static_cast<const arrow::StringArray&>(column).GetString(row)};
    default:
      return InvalidError("ordering values of type {} are not compared here",
                          column.type()->ToString());
  }
}

bool IsLess(const OrderingValue& a, const OrderingValue& b) {
  return std::visit(
      [&b](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        const auto* other = std::get_if<Value>(&b.value);
        if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
          return other != nullptr && value < *other;
        } else {
          return false;
        }
      },
      a.value);
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadBase(const std::filesystem::path& path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path.string()));
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(const auto table, reader->ReadTable());
  return table->CombineChunksToBatch();
}

/// A base file and changes to it becoming the next base file, in the order of the old one.
class BaseMerge {
 public:
  /// @param field ordering column; empty: changes always win
  BaseMerge(std::shared_ptr<arrow::RecordBatch> old, std::string field)
      : parts_({std::move(old)}), field_(std::move(field)), source_(parts_[0]->num_rows()) {
    std::iota(source_.begin(), source_.end(), 0);
    const auto& keys = static_cast<const arrow::StringArray&>(*parts_[0]->column(kKeyColumn));
    for (int64_t row = 0; row < keys.length(); ++row) old_row_[keys.GetString(row)] = row;
  }

  Status Upsert(std::shared_ptr<arrow::RecordBatch> rows) {
    const int64_t offset = parts_[0]->num_rows();
    const auto& keys = static_cast<const arrow::StringArray&>(*rows->column(kKeyColumn));
    for (int64_t row = 0; row < keys.length(); ++row) {
      const auto found = old_row_.find(keys.GetString(row));
      if (found == old_row_.end()) {  // deleted before
        source_.push_back(offset + row);
        ++counts_.inserts;
        continue;
      }
      OrderingValue ordering;
      if (!field_.empty()) {
        ARROW_ASSIGN_OR_RAISE(ordering, OrderingOf(*rows->GetColumnByName(field_), row));
      }
      ARROW_ASSIGN_OR_RAISE(const bool older, IsOlder(ordering, found->second));
      if (older) continue;
      source_[static_cast<size_t>(found->second)] = offset + row;
      ++counts_.updates;
    }
    parts_.push_back(std::move(rows));
    return Status::OK();
  }

  Status Delete(const std::vector<DeleteRecord>& records) {
    for (const DeleteRecord& record : records) {
      const auto found = old_row_.find(record.record_key);
      if (found == old_row_.end()) continue;
      ARROW_ASSIGN_OR_RAISE(const bool older, IsOlder(record.ordering, found->second));
      if (older) continue;
      source_[static_cast<size_t>(found->second)] = kGone;
      ++counts_.deletes;
    }
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Finish(const std::shared_ptr<arrow::Schema>& schema) {
    std::erase(source_, kGone);
    // A file's schema may differ in metadata and nullability.
    for (auto& part : parts_) {
      part = arrow::RecordBatch::Make(schema, part->num_rows(), part->columns());
    }
    ARROW_ASSIGN_OR_RAISE(const auto all, arrow::ConcatenateRecordBatches(parts_));
    return TakeRows(*all, source_);
  }

  const RowCounts& counts() const { return counts_; }

 private:
  static constexpr int64_t kGone = -1;

  /// Whether a change loses against a row of the old file.
  Result<bool> IsOlder(const OrderingValue& change, int64_t row) const {
    if (field_.empty() || change.IsDefault()) return false;
    ARROW_ASSIGN_OR_RAISE(const OrderingValue old,
                          OrderingOf(*parts_[0]->GetColumnByName(field_), row));
    return IsLess(change, old);
  }

  arrow::RecordBatchVector parts_;  // the old file, then the changed rows
  std::string field_;
  std::vector<int64_t> source_;  // of each new row: its place in parts_
  std::unordered_map<std::string, int64_t> old_row_;
  RowCounts counts_;
};

}  // namespace

TableBuilder::TableBuilder(std::string dir, TableSpec spec) {
  status_ = arrow::compute::Initialize();
  if (status_.ok()) status_ = TableFiles::Create(std::move(dir), std::move(spec)).Value(&files_);
}

TableBuilder& TableBuilder::Insert(const arrow::RecordBatch& rows, int groups, bool log_only) {
  if (status_.ok()) status_ = files_->Begin("INSERT");
  if (status_.ok()) status_ = InsertRows(rows, groups, log_only);
  if (status_.ok()) status_ = files_->Commit();
  return *this;
}

TableBuilder& TableBuilder::InsertPending(const arrow::RecordBatch& rows) {
  if (status_.ok()) status_ = files_->Begin("INSERT");
  if (status_.ok()) status_ = InsertRows(rows, /*groups=*/1, /*log_only=*/false);
  return *this;
}

TableBuilder& TableBuilder::Upsert(const arrow::RecordBatch& rows) {
  if (status_.ok()) status_ = files_->Begin("UPSERT");
  if (status_.ok()) status_ = UpsertRows(rows);
  if (status_.ok()) status_ = files_->Commit();
  return *this;
}

TableBuilder& TableBuilder::Delete(const std::vector<std::string>& keys,
                                   const OrderingValue& ordering) {
  if (status_.ok()) status_ = files_->Begin("DELETE");
  if (status_.ok()) status_ = DeleteKeys(keys, ordering);
  if (status_.ok()) status_ = files_->Commit();
  return *this;
}

Result<std::vector<std::string>> TableBuilder::PartitionsOf(const arrow::RecordBatch& rows) const {
  std::vector<std::string> partitions(static_cast<size_t>(rows.num_rows()));
  const std::string& field = files_->spec().partition_field;
  if (field.empty()) return partitions;
  const auto column = rows.GetColumnByName(field);
  if (column == nullptr || column->type_id() != arrow::Type::STRING) {
    return InvalidError("partition column \"{}\" must be there and utf8", field);
  }
  const auto& values = static_cast<const arrow::StringArray&>(*column);
  for (size_t row = 0; row < partitions.size(); ++row) {
    const auto at = static_cast<int64_t>(row);
    partitions[row] = files_->PartitionPath(values.IsNull(at) ? "" : values.GetView(at));
  }
  return partitions;
}

Status TableBuilder::InsertRows(const arrow::RecordBatch& rows, int groups, bool log_only) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> partitions, PartitionsOf(rows));
  std::map<std::string, std::vector<std::vector<int64_t>>> parts;
  std::map<std::string, size_t> turn;
  for (size_t row = 0; row < partitions.size(); ++row) {
    auto& of_partition = parts[partitions[row]];
    of_partition.resize(static_cast<size_t>(groups));
    of_partition[turn[partitions[row]]++ % of_partition.size()].push_back(
        static_cast<int64_t>(row));
  }
  for (const auto& [partition, shares] : parts) {
    for (const std::vector<int64_t>& indices : shares) {
      if (indices.empty()) continue;
      ARROW_ASSIGN_OR_RAISE(const auto share, TakeRows(rows, indices));
      ARROW_RETURN_NOT_OK(WriteNewGroup(partition, *share, log_only));
    }
  }
  return Status::OK();
}

Status TableBuilder::WriteNewGroup(const std::string& partition, const arrow::RecordBatch& rows,
                                   bool log_only) {
  FileGroup group = files_->NewGroup(partition);
  const RowCounts counts{.inserts = rows.num_rows()};
  ARROW_ASSIGN_OR_RAISE(const auto full, files_->WithMeta(rows, partition));
  if (log_only) {
    ARROW_RETURN_NOT_OK(files_->WriteLog(group, {full}, {}, counts));
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto sink, files_->OpenBase(&group));
    ARROW_RETURN_NOT_OK(sink->Write(*full));
    ARROW_RETURN_NOT_OK(sink->Close(counts));
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> keys, files_->Keys(rows));
  for (const std::string& key : keys) group_of_key_[key] = groups_.size();
  groups_.push_back(std::move(group));
  return Status::OK();
}

Status TableBuilder::UpsertRows(const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> keys, files_->Keys(rows));
  std::map<size_t, std::vector<int64_t>> known;
  std::vector<int64_t> fresh;
  for (size_t row = 0; row < keys.size(); ++row) {
    const auto found = group_of_key_.find(keys[row]);
    (found == group_of_key_.end() ? fresh : known[found->second])
        .push_back(static_cast<int64_t>(row));
  }
  for (const auto& [index, indices] : known) {
    ARROW_ASSIGN_OR_RAISE(const auto share, TakeRows(rows, indices));
    Change change;
    ARROW_ASSIGN_OR_RAISE(change.rows, files_->WithMeta(*share, groups_[index].partition));
    ARROW_RETURN_NOT_OK(Apply(&groups_[index], change));
  }
  if (fresh.empty()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto inserts, TakeRows(rows, fresh));
  return InsertRows(*inserts, /*groups=*/1, /*log_only=*/false);
}

Status TableBuilder::DeleteKeys(const std::vector<std::string>& keys,
                                const OrderingValue& ordering) {
  std::map<size_t, Change> changes;
  for (const std::string& key : keys) {
    const auto found = group_of_key_.find(key);
    if (found == group_of_key_.end()) return InvalidError("key \"{}\" is in no file group", key);
    changes[found->second].deletes.push_back({key, groups_[found->second].partition, ordering});
  }
  for (const auto& [index, change] : changes) {
    ARROW_RETURN_NOT_OK(Apply(&groups_[index], change));
  }
  return Status::OK();
}

Status TableBuilder::Apply(FileGroup* group, const Change& change) {
  if (!files_->spec().merge_on_read) return RewriteBase(group, change);
  const RowCounts counts{.updates = change.rows == nullptr ? 0 : change.rows->num_rows(),
                         .deletes = static_cast<int64_t>(change.deletes.size())};
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  if (change.rows != nullptr) batches.push_back(change.rows);
  return files_->WriteLog(*group, batches, change.deletes, counts);
}

Status TableBuilder::RewriteBase(FileGroup* group, const Change& change) {
  ARROW_ASSIGN_OR_RAISE(auto old, ReadBase(std::filesystem::path(files_->dir()) / group->partition /
                                           group->base_file));
  BaseMerge merge(std::move(old), files_->spec().ordering_field);
  if (change.rows != nullptr) ARROW_RETURN_NOT_OK(merge.Upsert(change.rows));
  ARROW_RETURN_NOT_OK(merge.Delete(change.deletes));
  ARROW_ASSIGN_OR_RAISE(const auto merged, merge.Finish(files_->full_schema()));
  ARROW_ASSIGN_OR_RAISE(const auto sink, files_->OpenBase(group));
  ARROW_RETURN_NOT_OK(sink->Write(*merged));
  return sink->Close(merge.counts());
}

}  // namespace firth::testing
