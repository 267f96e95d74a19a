// SPDX-License-Identifier: Apache-2.0
#include "firth/index/vector/distance_kernels.h"

#include <vector>

#include "firth/index/vector/distance_kernels_levels.h"

namespace firth {
namespace {

std::vector<DistanceKernels> SupportedKernels() {
  std::vector<DistanceKernels> kernels;
  for (const SimdLevel level : SupportedSimdLevels()) {
    switch (level) {
      case SimdLevel::kScalar:
        kernels.push_back(kDistanceKernelsScalar);
        break;
#if defined(__x86_64__)
      case SimdLevel::kAvx2:
        kernels.push_back(kDistanceKernelsAvx2);
        break;
      case SimdLevel::kAvx512:
        kernels.push_back(kDistanceKernelsAvx512);
        break;
#elif defined(__aarch64__)
      case SimdLevel::kNeon:
        kernels.push_back(kDistanceKernelsNeon);
        break;
#endif
      default:
        break;  // adds nothing to float32 distances
    }
  }
  return kernels;
}

}  // namespace

std::span<const DistanceKernels> AvailableDistanceKernels() {
  static const std::vector<DistanceKernels> kernels = SupportedKernels();
  return kernels;
}

const DistanceKernels& BestDistanceKernels() {
  static const DistanceKernels& best = []() -> const DistanceKernels& {
    const std::span<const DistanceKernels> available = AvailableDistanceKernels();
    size_t i = available.size() - 1;
    while (i > 0 && available[i].level > MaxSimdLevel()) --i;
    return available[i];
  }();
  return best;
}

}  // namespace firth
