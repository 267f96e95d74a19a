// SPDX-License-Identifier: Apache-2.0
#include "cli/column_stats.h"

#include <arrow/util/base64.h>
#include <fmt/format.h>

#include "cli/index_json.h"
#include "cli/numbers.h"
#include "cli/text_table.h"

namespace firth::cli {
namespace {

std::string Base64(const BinaryValue& value) {
  return arrow::util::base64_encode(std::string_view(value.bytes));
}

std::string BoundText(const StatisticsBound& bound) {
  if (const auto* flag = std::get_if<bool>(&bound)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&bound)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&bound)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&bound)) return *text;
  if (const auto* binary = std::get_if<BinaryValue>(&bound)) return Base64(*binary);
  return "-";
}

Json BoundJson(const StatisticsBound& bound) {
  if (const auto* flag = std::get_if<bool>(&bound)) return *flag;
  if (const auto* whole = std::get_if<int64_t>(&bound)) return *whole;
  if (const auto* real = std::get_if<double>(&bound)) return *real;
  if (const auto* text = std::get_if<std::string>(&bound)) return *text;
  if (const auto* binary = std::get_if<BinaryValue>(&bound)) return Base64(*binary);
  return Json();
}

std::string CountText(int64_t count) { return count < 0 ? "-" : FormatCount(count); }
Json CountJson(int64_t count) { return count < 0 ? Json() : Json(count); }

std::string FormatStatistics(const StatisticsLookup& found) {
  TextTable table(
      {{"file"}, {"column"}, {"min"}, {"max"}, {"rows", true}, {"nulls", true}, {"size", true}});
  for (const FileStatistics& of : found.statistics) {
    table.AddRow({of.file, of.column, of.stored ? BoundText(of.min) : "(not stored)",
                  BoundText(of.max), CountText(of.rows), CountText(of.nulls),
                  of.bytes < 0 ? "-" : FormatBytes(of.bytes)});
  }
  return table.Format();
}

}  // namespace

arrow::Status PrintColumnStatistics(const Snapshot& snapshot,
                                    const std::vector<std::string>& columns, bool json) {
  ARROW_ASSIGN_OR_RAISE(const StatisticsLookup found, LookupStatistics(snapshot, columns));
  if (!json) return Print(FormatStatistics(found));
  Json statistics = Json::array();
  for (const FileStatistics& of : found.statistics) {
    statistics.push_back({{"file", of.file},
                          {"column", of.column},
                          {"stored", of.stored},
                          {"min", BoundJson(of.min)},
                          {"max", BoundJson(of.max)},
                          {"rows", CountJson(of.rows)},
                          {"nulls", CountJson(of.nulls)},
                          {"bytes", CountJson(of.bytes)},
                          {"uncompressed_bytes", CountJson(of.uncompressed_bytes)}});
  }
  return PrintJson({{"statistics", std::move(statistics)}, {"cost", CostJson(found.cost)}});
}

}  // namespace firth::cli
