// SPDX-License-Identifier: Apache-2.0
#include "firth/common/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace firth {

Status RunParallel(size_t count, int threads, const std::function<Status(size_t)>& job) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status first_error;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      const Status status = job(i);
      if (status.ok()) continue;
      std::lock_guard lock(mutex);
      if (first_error.ok()) first_error = status;
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(count, static_cast<size_t>(std::max(threads, 1))); ++i) {
    helpers.emplace_back(work);
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  return first_error;
}

}  // namespace firth
