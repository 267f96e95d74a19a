// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/scan_meter.h"

#include <utility>

namespace firth {

ScanMeter::ScanMeter(std::shared_ptr<const Storage> storage)
    : storage_(std::move(storage)),
      list_calls_(storage_->counters().list_calls),
      read_calls_(storage_->counters().read_calls),
      bytes_read_(storage_->counters().bytes_read) {}

ScanReport ScanMeter::Report(ScanReport planning) const {
  ScanReport report = std::move(planning);
  report.row_groups = metrics_->row_groups;
  report.row_groups_pruned = metrics_->row_groups_pruned;
  report.pages = metrics_->pages;
  report.pages_pruned = metrics_->pages_pruned;
  report.base_rows = metrics_->base_rows;
  report.log_records = metrics_->log_records;
  report.spilled_bytes = metrics_->spilled_bytes;
  report.corrupt_blocks = metrics_->corrupt_blocks;
  report.list_calls = storage_->counters().list_calls - list_calls_;
  report.read_calls = storage_->counters().read_calls - read_calls_;
  report.bytes_read = storage_->counters().bytes_read - bytes_read_;
  return report;
}

}  // namespace firth
