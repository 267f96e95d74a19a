// SPDX-License-Identifier: Apache-2.0
// Scalars as text, in the spelling of row_format.h. All functions append to `out`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firth::cli {

/// `text` as a JSON string, quotes included; invalid UTF-8 becomes U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

/// The shortest decimal that reads back as `value`, laid out as Python's repr does: 1.0, 1e+16,
/// 5e-324; or NaN, Infinity, -Infinity.
void AppendDouble(double value, std::string* out);

/// The proleptic Gregorian date of a day since 1970-01-01, for all days that timestamps can have.
void AppendDate(int64_t days, std::string* out);

/// HH:MM:SS.ffffff of a count from midnight, with nine digits where a second has more than a
/// million units.
void AppendTimeOfDay(int64_t units, int64_t per_second, std::string* out);

/// YYYY-MM-DDTHH:MM:SS.ffffff of a count from 1970-01-01; any int64.
void AppendTimestamp(int64_t units, int64_t per_second, std::string* out);

/// A decimal from the digits of its unscaled value, never with an exponent, which Arrow's own
/// Decimal::ToString uses for small numbers.
void AppendDecimal(std::string digits, int32_t scale, std::string* out);

}  // namespace firth::cli
