// SPDX-License-Identifier: Apache-2.0
// Arrow rows as JSON objects, values as the expectations of the golden tables write them: decimals,
// dates and timestamps as text, binary as Base64, maps as objects with sorted keys.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <arrow/util/formatting.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace firth::testing {

inline nlohmann::json FloatingJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

inline std::string TimestampText(int64_t value, arrow::TimeUnit::type unit) {
  const int64_t per_second = unit == arrow::TimeUnit::MILLI ? 1'000 : 1'000'000;
  int64_t seconds = value / per_second;
  int64_t rest = value % per_second;
  if (rest < 0) rest += per_second, --seconds;
  const std::chrono::sys_seconds time{std::chrono::seconds{seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format(
      "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}.{:06d}", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
      clock.minutes().count(), clock.seconds().count(), rest * (1'000'000 / per_second));
}

inline nlohmann::json ValueJson(const arrow::Array& array, int64_t row);

template <typename ListArray>
nlohmann::json ListJson(const ListArray& array, int64_t row) {
  nlohmann::json items = nlohmann::json::array();
  const auto values = array.value_slice(row);
  for (int64_t i = 0; i < values->length(); ++i) items.push_back(ValueJson(*values, i));
  return items;
}

inline nlohmann::json MapJson(const arrow::MapArray& array, int64_t row) {
  nlohmann::json entries = nlohmann::json::object();
  for (int64_t i = array.value_offset(row); i < array.value_offset(row + 1); ++i) {
    const nlohmann::json key = ValueJson(*array.keys(), i);
    entries[key.is_string() ? key.get<std::string>() : key.dump()] = ValueJson(*array.items(), i);
  }
  return entries;
}

inline nlohmann::json StructJson(const arrow::StructArray& array, int64_t row) {
  nlohmann::json fields = nlohmann::json::object();
  for (int i = 0; i < array.num_fields(); ++i) {
    fields[array.type()->field(i)->name()] = ValueJson(*array.field(i), row);
  }
  return fields;
}

inline nlohmann::json ValueJson(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Array&>(array).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::FLOAT:
      return FloatingJson(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE:
      return FloatingJson(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(row);
    case arrow::Type::BINARY:
      return arrow::util::base64_encode(static_cast<const arrow::BinaryArray&>(array).GetView(row));
    case arrow::Type::FIXED_SIZE_BINARY:
      return arrow::util::base64_encode(
          static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::Decimal128Array&>(array).FormatValue(row);
    case arrow::Type::DATE32:
      return TimestampText(
                 static_cast<const arrow::Date32Array&>(array).Value(row) * int64_t{86'400'000},
                 arrow::TimeUnit::MILLI)
          .substr(0, 10);
    case arrow::Type::TIMESTAMP:
      return TimestampText(static_cast<const arrow::TimestampArray&>(array).Value(row),
                           static_cast<const arrow::TimestampType&>(*array.type()).unit());
    case arrow::Type::LIST:
      return ListJson(static_cast<const arrow::ListArray&>(array), row);
    case arrow::Type::FIXED_SIZE_LIST:
      return ListJson(static_cast<const arrow::FixedSizeListArray&>(array), row);
    case arrow::Type::MAP:
      return MapJson(static_cast<const arrow::MapArray&>(array), row);
    case arrow::Type::STRUCT:
      return StructJson(static_cast<const arrow::StructArray&>(array), row);
    default:
      return "no JSON for " + array.type()->ToString();
  }
}

/// Appends one object per row.
inline void AppendJsonRows(const arrow::RecordBatch& batch, std::vector<nlohmann::json>* rows) {
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    nlohmann::json object = nlohmann::json::object();
    for (int i = 0; i < batch.num_columns(); ++i) {
      object[batch.schema()->field(i)->name()] = ValueJson(*batch.column(i), row);
    }
    rows->push_back(std::move(object));
  }
}

/// Rows of a view that the expectations of a golden table record; none where Hudi could not read
/// it.
inline std::vector<nlohmann::json> RowsOfView(const nlohmann::json& expected,
                                              const nlohmann::json& view) {
  std::vector<nlohmann::json> rows;
  if (view.contains("error")) return rows;
  for (const nlohmann::json& index : view.at("rows")) {
    rows.push_back(expected.at("rows").at(index.get<size_t>()));
  }
  return rows;
}

}  // namespace firth::testing
