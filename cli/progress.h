// SPDX-License-Identifier: Apache-2.0
// A line on standard error that tells how far long work has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace firth::cli {

/// Shows nothing unless standard error is a terminal, and nothing in the first half second. The
/// line goes away with the object. One thread.
class Progress {
 public:
  /// `what`: "reading"; `unit`: "rows"; `total`: 0 when it is not known.
  Progress(std::string what, std::string unit, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string Line(int64_t done, Clock::duration elapsed) const;

  std::string what_, unit_;
  int64_t total_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_, next_;
};

}  // namespace firth::cli
