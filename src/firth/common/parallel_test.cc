// SPDX-License-Identifier: Apache-2.0
#include "firth/common/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace firth {
namespace {

TEST(RunParallel, EveryJobRunsOnce) {
  for (const int threads : {0, 1, 3, 100}) {
    std::vector<std::atomic<int>> runs(50);
    ASSERT_TRUE(RunParallel(runs.size(), threads, [&](size_t i) {
                  ++runs[i];
                  return Status::OK();
                }).ok());
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
  EXPECT_TRUE(RunParallel(0, 4, [](size_t) { return InternalError("never run"); }).ok());
}

TEST(RunParallel, ErrorIsReturnedAndLeavesOutTheRest) {
  int runs = 0;
  const Status status = RunParallel(10, 1, [&](size_t i) {
    ++runs;
    return i == 3 ? InvalidError("job {}", i) : Status::OK();
  });
  EXPECT_EQ(status.message(), "job 3");
  EXPECT_EQ(runs, 4);
}

}  // namespace
}  // namespace firth
