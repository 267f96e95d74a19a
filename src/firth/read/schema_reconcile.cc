// SPDX-License-Identifier: Apache-2.0
#include "firth/read/schema_reconcile.h"

#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "firth/read/type_convert.h"

namespace firth {
namespace {

// The same data with every type object of the tree exchanged.
std::shared_ptr<arrow::ArrayData> Retype(const arrow::ArrayData& data,
                                         const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  copy->type = type;
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = Retype(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

}  // namespace

Result<SchemaReconciler> SchemaReconciler::Make(const arrow::Schema& file,
                                                std::shared_ptr<arrow::Schema> wanted,
                                                const SchemaEvolution& evolution,
                                                const ColumnConstants& constants,
                                                std::string path) {
  const std::shared_ptr<arrow::Schema> renamed =
      evolution.renames() ? evolution.Rename(file) : nullptr;
  const arrow::Schema& names = renamed ? *renamed : file;
  SchemaReconciler result;
  for (const auto& field : wanted->fields()) {
    Source source;
    source.file_column = names.GetFieldIndex(field->name());
    if (source.file_column >= 0) {
      const auto& type = names.field(source.file_column)->type();
      ARROW_RETURN_NOT_OK(
          WithContext(CheckConvertible(*type, *field->type(), field->name()), path));
      if (renamed) source.renamed = type;
      result.file_columns_.push_back(source.file_column);
    } else if (const auto found = constants.find(field->name()); found != constants.end()) {
      source.constant = found->second;
    }
    result.sources_.push_back(std::move(source));
  }
  std::sort(result.file_columns_.begin(), result.file_columns_.end());
  for (Source& source : result.sources_) {
    if (source.file_column < 0) continue;
    source.batch_column =
        static_cast<int>(std::lower_bound(result.file_columns_.begin(), result.file_columns_.end(),
                                          source.file_column) -
                         result.file_columns_.begin());
  }
  result.wanted_ = std::move(wanted);
  result.path_ = std::move(path);
  return result;
}

Result<std::shared_ptr<arrow::Array>> SchemaReconciler::Column(const arrow::RecordBatch& batch,
                                                               int wanted) const {
  const Source& source = sources_[wanted];
  const auto& field = wanted_->field(wanted);
  if (source.batch_column < 0) {
    return source.constant ? arrow::MakeArrayFromScalar(*source.constant, batch.num_rows())
                           : arrow::MakeArrayOfNull(field->type(), batch.num_rows());
  }
  std::shared_ptr<arrow::Array> column = batch.column(source.batch_column);
  if (source.renamed) column = arrow::MakeArray(Retype(*column->data(), source.renamed));
  return ConvertColumn(column, field->type(), field->name());
}

Result<std::shared_ptr<arrow::RecordBatch>> SchemaReconciler::Apply(
    const arrow::RecordBatch& batch) const {
  std::vector<std::shared_ptr<arrow::Array>> columns(wanted_->num_fields());
  for (int i = 0; i < wanted_->num_fields(); ++i) {
    auto column = Column(batch, i);
    if (!column.ok()) return WithContext(column.status(), path_);
    columns[i] = *std::move(column);
  }
  return arrow::RecordBatch::Make(wanted_, batch.num_rows(), std::move(columns));
}

}  // namespace firth
