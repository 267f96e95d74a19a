// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/text_predicate.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include <utility>

#include "firth/index/text/fts_error.h"
#include "firth/index/text/text_evaluator.h"

namespace firth {
namespace {

template <typename ArrayType>
std::string_view Get(const arrow::Array& array, int64_t i) {
  return static_cast<const ArrayType&>(array).GetView(i);
}

}  // namespace

Status CheckTextColumn(std::string_view column, const arrow::DataType& type) {
  if (type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
      type.id() == arrow::Type::STRING_VIEW) {
    return Status::OK();
  }
  return FtsError(kFtsNotStringColumn, "column \"{}\" is {}; text search needs a string column",
                  column, type.ToString());
}

Result<TextValues> TextValues::Of(std::string_view column, const arrow::Array& array) {
  ARROW_RETURN_NOT_OK(CheckTextColumn(column, *array.type()));
  switch (array.type_id()) {
    case arrow::Type::STRING:
      return TextValues(array, Get<arrow::StringArray>);
    case arrow::Type::LARGE_STRING:
      return TextValues(array, Get<arrow::LargeStringArray>);
    default:
      return TextValues(array, Get<arrow::StringViewArray>);
  }
}

bool TextValues::IsNull(int64_t i) const { return array_->IsNull(i); }

TextPredicate::TextPredicate(std::shared_ptr<const BoundQuery> query)
    : query_(std::move(query)), row_(query_->columns.size()) {
  for (const BoundColumn& column : query_->columns) {
    scanners_.emplace_back(column, ColumnVocabulary(column), /*grow=*/true);
  }
}

Result<std::shared_ptr<arrow::Array>> TextPredicate::Evaluate(
    const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  std::vector<TextValues> values;
  for (size_t c = 0; c < scanners_.size(); ++c) {
    ARROW_ASSIGN_OR_RAISE(TextValues view, TextValues::Of(query_->columns[c].name, *columns[c]));
    values.push_back(view);
  }
  const int64_t rows = columns.front()->length();
  arrow::BooleanBuilder out;
  ARROW_RETURN_NOT_OK(out.Reserve(rows));
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t c = 0; c < scanners_.size(); ++c) {
      if (values[c].IsNull(i)) {
        scanners_[c].ScanNull(&row_[c]);
      } else {
        const Status status = scanners_[c].Scan(values[c][i], &row_[c]);
        if (!status.ok()) {
          return WithContext(status, fmt::format("column \"{}\"", query_->columns[c].name));
        }
      }
    }
    const Truth truth = EvaluateTextQuery(*query_, row_);
    if (truth == Truth::kNull) {
      out.UnsafeAppendNull();
    } else {
      out.UnsafeAppend(truth == Truth::kTrue);
    }
  }
  return out.Finish();
}

}  // namespace firth
