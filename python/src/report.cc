// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <string>

#include "errors.h"

namespace firth::python {

namespace nb = nanobind;

nb::dict ToDict(const ScanReport& report) {
  nb::dict out;
  out["partitions"] = report.partitions;
  out["partitions_pruned"] = report.partitions_pruned;
  out["slices"] = report.slices;
  out["slices_pruned"] = report.slices_pruned;
  out["row_groups"] = report.row_groups;
  out["row_groups_pruned"] = report.row_groups_pruned;
  out["pages"] = report.pages;
  out["pages_pruned"] = report.pages_pruned;
  out["base_rows"] = report.base_rows;
  out["log_records"] = report.log_records;
  out["spilled_bytes"] = report.spilled_bytes;
  out["corrupt_blocks"] = report.corrupt_blocks;
  out["list_calls"] = report.list_calls;
  out["read_calls"] = report.read_calls;
  out["bytes_read"] = report.bytes_read;
  nb::list notes;
  for (const std::string& note : report.notes) notes.append(MessageText(note));
  out["notes"] = notes;
  return out;
}

nb::dict ToDict(const TextSearchReport& report) {
  nb::dict columns;
  for (const TextSearchReport::Column& column : report.columns) {
    nb::dict counts;
    counts["records"] = column.records;
    counts["tokens"] = column.tokens;
    columns[nb::str(column.name.data(), column.name.size())] = counts;
  }
  nb::dict out;
  out["matches"] = report.matches;
  out["passes"] = report.passes;
  out["expansions_capped"] = report.expansions_capped;
  out["columns"] = columns;
  out["scan"] = ToDict(report.scan);
  return out;
}

nb::dict ToDict(const VectorSearchReport& report) {
  nb::dict out;
  out["rows"] = report.rows;
  out["null_vectors"] = report.null_vectors;
  out["wrong_length"] = report.wrong_length;
  out["not_finite"] = report.not_finite;
  out["scan"] = ToDict(report.scan);
  return out;
}

}  // namespace firth::python
