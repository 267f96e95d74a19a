// SPDX-License-Identifier: Apache-2.0
// Built with -ffp-contract=off (CMakeLists.txt): a fused multiply-add would change the last bit.
#include "firth/index/text/bm25.h"

#include <cmath>

namespace firth {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;

}  // namespace

double Bm25Idf(int64_t records, int64_t document_frequency) {
  const auto df = static_cast<double>(document_frequency);
  return std::log(1 + (static_cast<double>(records) - df + 0.5) / (df + 0.5));
}

float Bm25Weight(double boost, double idf, double similarity) {
  return static_cast<float>(boost * idf * (kK1 + 1) * similarity);
}

Bm25Column::Bm25Column(const ColumnStatistics& statistics) : empty_(statistics.tokens == 0) {
  if (empty_) return;
  const double average =
      static_cast<double>(statistics.tokens) / static_cast<double>(statistics.records);
  base_ = static_cast<float>(kK1 * (1 - kB));
  per_token_ = static_cast<float>(kK1 * kB / average);
}

float Bm25Column::Score(float weight, float tf, uint32_t length) const {
  if (empty_) return 0;
  const float norm = base_ + per_token_ * static_cast<float>(length);
  return weight * (tf / (tf + norm));
}

}  // namespace firth
