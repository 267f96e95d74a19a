// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps as people write them in SQL.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace firth::predicate {

/// A moment, or a wall-clock reading when it has no zone.
struct PointInTime {
  int64_t seconds = 0;  // since 1970-01-01 00:00:00, of UTC when there is a zone
  int64_t nanos = 0;    // 0 to 999,999,999, added to `seconds`
  bool has_zone = false;

  int64_t days() const { return (seconds - second_of_day()) / 86'400; }
  int64_t second_of_day() const { return ((seconds % 86'400) + 86'400) % 86'400; }
};

/// `YYYY-M-D`, then optionally a space or T, `HH:MM[:SS[.f]]` (f: 1 to 9 digits) and a zone: `Z`,
/// `UTC`, `+hh:mm`, `+hhmm` or `+hh`. Years 1 to 9999. nullopt for anything else.
std::optional<PointInTime> ParsePointInTime(std::string_view text);

}  // namespace firth::predicate
