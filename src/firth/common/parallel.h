// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "firth/common/status.h"

namespace firth {

/// Threads for jobs that each wait for a request: a store far away answers many at once.
inline constexpr int kRequestThreads = 16;

/// Runs job(i) for 0 <= i < count on up to `threads` threads, the caller's among them. The first
/// error wins; jobs that have not begun by then are left out.
Status RunParallel(size_t count, int threads, const std::function<Status(size_t)>& job);

}  // namespace firth
