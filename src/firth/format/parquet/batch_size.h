// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace firth {

/// How many rows the next batch of a stream is asked to have: as many as wide rows allow. A footer
/// does not tell how wide decoded rows are, since a value of a dictionary counts once there however
/// many rows have it; so what batches took decides on the next ones.
class BatchSize {
 public:
  /// What one batch should take. The batch of 16,384 rows of half a KiB just fits.
  static constexpr int64_t kMaxBytes = int64_t{8} << 20;

  BatchSize() = default;
  BatchSize(int64_t first, int64_t most) : rows_(first), most_(most) {}

  int64_t rows() const { return rows_; }

  /// Must know of every batch.
  void Saw(int64_t rows, int64_t bytes) {
    if (rows == 0) return;
    const double row_bytes =
        static_cast<double>(std::max<int64_t>(bytes, 1)) / static_cast<double>(rows);
    const double fitting = static_cast<double>(kMaxBytes) / row_bytes;
    rows_ = rows_ > most_ / kGrowth ? most_ : rows_ * kGrowth;
    if (fitting < static_cast<double>(rows_)) {
      rows_ = std::max<int64_t>(1, static_cast<int64_t>(fitting));
    }
  }

 private:
  static constexpr int64_t kGrowth = 8;  // rows that follow may be wider

  int64_t rows_ = 1;
  int64_t most_ = 1;
};

}  // namespace firth
