// SPDX-License-Identifier: Apache-2.0
#include "firth/read/partition_values.h"

#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <string>
#include <vector>

namespace firth {
namespace {

constexpr std::string_view kDefaultPartition = "__HIVE_DEFAULT_PARTITION__";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string UrlDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return segments;
}

// One field may span several segments (slash-separated dates); several fields have one each.
Result<std::vector<std::string>> FieldTexts(const TableConfig& config, std::string_view partition) {
  const size_t count = config.partition_fields.size();
  if (count == 1) {
    std::string text(partition);
    if (config.slash_separated_dates) {
      for (char& c : text) c = c == '/' ? '-' : c;
    }
    return std::vector<std::string>{std::move(text)};
  }
  std::vector<std::string> texts;
  for (const std::string_view segment : Split(partition)) texts.emplace_back(segment);
  if (texts.size() == count) return texts;
  return CorruptError("partition \"{}\" has {} segments; the table has {} partition fields",
                      partition, texts.size(), count);
}

}  // namespace

HiveStyle HiveStyleOf(const TableConfig& config) {
  if (config.hive_style) return HiveStyle::kAlways;
  const bool said = !config.Get("hoodie.datasource.write.hive_style_partitioning").empty();
  return said ? HiveStyle::kNever : HiveStyle::kUnknown;
}

Result<std::vector<std::string>> PartitionTexts(const TableConfig& config,
                                                std::string_view partition) {
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> texts, FieldTexts(config, partition));
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string prefix = config.partition_fields[i] + "=";
    if (HiveStyleOf(config) != HiveStyle::kNever && texts[i].starts_with(prefix)) {
      texts[i].erase(0, prefix.size());
    }
    if (config.url_encode) texts[i] = UrlDecode(texts[i]);
  }
  return texts;
}

Result<std::shared_ptr<arrow::Scalar>> ParsePartitionValue(
    const std::string& text, const std::shared_ptr<arrow::DataType>& type,
    std::string_view partition) {
  if (text == kDefaultPartition) return arrow::MakeNullScalar(type);
  const auto scalar = std::make_shared<arrow::StringScalar>(text);
  auto value = arrow::compute::Cast(arrow::Datum(scalar), type);
  if (value.ok()) return value->scalar();
  return CorruptError("partition \"{}\": \"{}\" is not a value of type {}", partition, text,
                      type->ToString());
}

Result<ColumnConstants> PartitionConstants(const TableConfig& config, const arrow::Schema& schema,
                                           std::string_view partition) {
  ColumnConstants constants;
  if (config.partition_fields.empty()) return constants;
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> texts, PartitionTexts(config, partition));
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = config.partition_fields[i];
    const auto field = schema.GetFieldByName(name);
    if (field == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(constants[name], ParsePartitionValue(texts[i], field->type(), partition));
  }
  return constants;
}

}  // namespace firth
