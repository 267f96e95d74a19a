// SPDX-License-Identifier: Apache-2.0
// Moments as users write them, turned into instant times.
#pragma once

#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// The instant time (17 digits) that `text` means. Accepted: an instant of 17 digits, or of 14
/// (the whole second: 999 ms is appended); `2026-01-31[ T]12:00:00[.fraction]`, with an optional
/// zone `Z` or `+hh[:mm]`; and `2026-01-31` (its first moment). A text without a zone is taken as
/// written, in the zone of the table's writers; one with a zone is converted to UTC when
/// `timeline_is_utc`, else to this process's local zone, which is what writers use by default.
/// Errors: kInvalidArgument naming the accepted forms.
Result<std::string> ParseTimePoint(std::string_view text, bool timeline_is_utc);

}  // namespace firth
