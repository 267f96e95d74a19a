// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/numbers.h"

namespace firth::cli {
namespace {

constexpr auto kDelay = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr size_t kBarWidth = 24;
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string what, std::string unit, int64_t total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      enabled_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + kDelay) {}

Progress::~Progress() {
  if (shown_) std::fputs(kEraseLine, stderr);
}

void Progress::Update(int64_t done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::fputs((kEraseLine + Line(done, now - start_)).c_str(), stderr);
}

std::string Progress::Line(int64_t done, Clock::duration elapsed) const {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (total_ <= 0)
    return fmt::format("{}: {} {}, {:.1f} s", what_, FormatCount(done), unit_, seconds);
  const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total_), 0.0, 1.0);
  const auto filled = static_cast<size_t>(part * kBarWidth);
  return fmt::format("{} [{}{}] {} of {} {}, {:.1f} s", what_, std::string(filled, '#'),
                     std::string(kBarWidth - filled, ' '), FormatCount(done), FormatCount(total_),
                     unit_, seconds);
}

}  // namespace firth::cli
