// SPDX-License-Identifier: Apache-2.0
// Tables that the sources of each level define. Included by these sources, which are compiled with
// wider instruction sets than the rest: nothing here may need a definition from a header.
#pragma once

#include "firth/index/vector/distance_kernels.h"

namespace firth {

extern const DistanceKernels kDistanceKernelsScalar;
#if defined(__x86_64__)
extern const DistanceKernels kDistanceKernelsAvx2;
extern const DistanceKernels kDistanceKernelsAvx512;
#elif defined(__aarch64__)
extern const DistanceKernels kDistanceKernelsNeon;
#endif

}  // namespace firth
