// SPDX-License-Identifier: Apache-2.0
#include "cli/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/errors.h"
#include "cli/numbers.h"
#include "cli/output.h"

namespace firth::cli {
namespace {

void AddCounters(const ScanReport& report, std::vector<Counter>* counters) {
  counters->insert(counters->end(),
                   {{"partitions", "partitions", report.partitions},
                    {"partitions_pruned", "  skipped", report.partitions_pruned},
                    {"slices", "file slices", report.slices},
                    {"slices_pruned", "  skipped", report.slices_pruned},
                    {"row_groups", "row groups", report.row_groups},
                    {"row_groups_pruned", "  skipped", report.row_groups_pruned},
                    {"pages", "pages", report.pages},
                    {"pages_pruned", "  skipped", report.pages_pruned},
                    {"base_rows", "rows of base files", report.base_rows},
                    {"log_records", "log records", report.log_records},
                    {"corrupt_blocks", "corrupt log blocks", report.corrupt_blocks},
                    {"spilled_bytes", "bytes spilled", report.spilled_bytes},
                    {"list_calls", "list calls", report.list_calls},
                    {"read_calls", "read calls", report.read_calls},
                    {"bytes_read", "bytes read", report.bytes_read}});
}

}  // namespace

arrow::Status PrintExplanation(std::vector<Counter> counters, const ScanReport& report, bool json) {
  AddCounters(report, &counters);
  if (json) {
    nlohmann::ordered_json object;
    for (const Counter& counter : counters) object[counter.key] = counter.value;
    object["notes"] = report.notes;
    return Print(object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  std::string text;
  for (const Counter& counter : counters) {
    text += fmt::format("{:<20}{:>16}\n", counter.label, FormatCount(counter.value));
  }
  for (const std::string& note : report.notes) text += Printable(note) + "\n";
  return Print(text);
}

}  // namespace firth::cli
