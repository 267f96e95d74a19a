// SPDX-License-Identifier: Apache-2.0
// What a planned read costs.
#pragma once

#include <cstdint>
#include <memory>

#include "firth/io/storage.h"
#include "firth/read/slice_reader.h"
#include "firth/scan.h"

namespace firth {

/// Counts requests to `storage` from its making on, so make it before planning. Safe from several
/// threads.
class ScanMeter {
 public:
  explicit ScanMeter(std::shared_ptr<const Storage> storage);

  /// For the slices that are opened.
  const std::shared_ptr<SliceReadMetrics>& metrics() const { return metrics_; }

  /// The report of planning with all that was counted so far.
  ScanReport Report(ScanReport planning) const;

 private:
  std::shared_ptr<const Storage> storage_;
  int64_t list_calls_, read_calls_, bytes_read_;  // before
  std::shared_ptr<SliceReadMetrics> metrics_ = std::make_shared<SliceReadMetrics>();
};

}  // namespace firth
