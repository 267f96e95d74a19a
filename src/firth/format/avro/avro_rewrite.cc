// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_rewrite.h"

#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "firth/common/java_text.h"

namespace firth {
namespace {

using arrow::Decimal256;

constexpr size_t kMaxNumberText = 512;  // the longest double in plain digits has 326
constexpr int32_t kMaxDigits = arrow::Decimal256Type::kMaxPrecision;

const arrow::DecimalType& DecimalTypeOf(const AvroColumn& column) {
  return static_cast<const arrow::DecimalType&>(*column.type());
}

// Appends the bytes of a decimal to a column of 128 or 256 bits: both are little-endian words.
Status AppendDecimal(const Decimal256& value, AvroColumn* out) {
  const arrow::DecimalType& type = DecimalTypeOf(*out);
  if (!value.FitsInPrecision(type.precision())) {
    return CorruptError("column \"{}\": {} has more digits than {}", out->path(),
                        value.ToIntegerString(), type.ToString());
  }
  return out->AppendFixed(value.little_endian_array().data()) ? Status::OK() : out->status();
}

Result<Decimal256> FromBigEndian(std::string_view bytes, const AvroColumn& out) {
  while (bytes.size() > 32 && (bytes[0] == '\0' || bytes[0] == '\xFF') &&
         ((bytes[0] ^ bytes[1]) & 0x80) == 0) {
    bytes.remove_prefix(1);  // a copy of the sign
  }
  if (bytes.empty() || bytes.size() > 32) {
    return CorruptError("column \"{}\": a decimal of {} bytes", out.path(), bytes.size());
  }
  return Decimal256::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                   static_cast<int32_t>(bytes.size()));
}

std::string PlainText(const Decimal256& value, int32_t scale) {
  std::string digits = value.ToIntegerString();
  if (scale == 0) return digits;
  const size_t sign = digits[0] == '-' ? 1 : 0;
  const auto places = static_cast<size_t>(scale);
  if (digits.size() - sign <= places) digits.insert(sign, places + 1 - (digits.size() - sign), '0');
  digits.insert(digits.size() - places, 1, '.');
  return digits;
}

std::string IsoDate(int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04d}-{:02d}-{:02d}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

// The days of YYYY-MM-DD.
Result<int32_t> ParseDate(std::string_view text, const AvroColumn& out) {
  int parts[3] = {0, 0, 0};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool valid = text.size() <= 16;
  for (int i = 0; valid && i < 3; ++i) {
    const auto [stop, error] = std::from_chars(at, end, parts[i]);
    valid = error == std::errc() && (i == 2 ? stop == end : stop != end && *stop == '-');
    at = stop + 1;
  }
  const std::chrono::year_month_day date{std::chrono::year{parts[0]},
                                         std::chrono::month{static_cast<unsigned>(parts[1])},
                                         std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!valid || parts[0] < -9999 || parts[0] > 9999 || parts[1] < 1 || parts[2] < 1 || !date.ok()) {
    return UnsupportedError("column \"{}\": text \"{:.40}\" is no date YYYY-MM-DD", out.path(),
                            text);
  }
  return static_cast<int32_t>(std::chrono::sys_days{date}.time_since_epoch().count());
}

// A number as the text that Java gives it, or text as it is.
Result<std::string> ReadText(const AvroSchema& writer, ByteReader& in, const AvroColumn& out) {
  switch (writer.kind) {
    case AvroKind::kInt:
    case AvroKind::kLong: {
      ARROW_ASSIGN_OR_RAISE(const int64_t value, in.ReadZigZag(out.path()));
      if (writer.kind == AvroKind::kInt && value != static_cast<int32_t>(value)) {
        return CorruptError("column \"{}\": avro int is {}; must fit 32 bits", out.path(), value);
      }
      if (writer.logical == AvroLogical::kDate) return IsoDate(value);
      return fmt::format("{}", value);
    }
    case AvroKind::kFloat: {
      ARROW_ASSIGN_OR_RAISE(const uint32_t bits, in.ReadU32Le(out.path()));
      return JavaText(std::bit_cast<float>(bits));
    }
    case AvroKind::kDouble: {
      ARROW_ASSIGN_OR_RAISE(const uint64_t bits, in.ReadU64Le(out.path()));
      return JavaText(std::bit_cast<double>(bits));
    }
    default: {
      ARROW_ASSIGN_OR_RAISE(const std::string_view text, in.ReadLengthPrefixed(out.path()));
      return std::string(text);
    }
  }
}

Result<std::string_view> ReadDecimalBytes(const AvroSchema& writer, ByteReader& in,
                                          const AvroColumn& out) {
  if (writer.kind == AvroKind::kFixed) {
    return in.ReadBytes(static_cast<size_t>(writer.size), out.path());
  }
  return in.ReadLengthPrefixed(out.path());
}

// Text to the scale of the column, half up.
Status TextToDecimal(const std::string& text, AvroColumn* out) {
  const int32_t wanted = DecimalTypeOf(*out).scale();
  Decimal256 value;
  int32_t precision = 0, scale = 0;
  const bool parsed = text.size() <= kMaxNumberText &&
                      Decimal256::FromString(text, &value, &precision, &scale).ok();
  if (!parsed || (scale < wanted && wanted - scale > kMaxDigits)) {
    return UnsupportedError("column \"{}\": \"{:.40}\" is no {}", out->path(), text,
                            out->type()->ToString());
  }
  if (scale - wanted > kMaxDigits) {
    value = Decimal256();  // less than half of the last place
  } else if (scale > wanted) {
    value = Decimal256(value.ReduceScaleBy(scale - wanted, /*round=*/true));
  } else if (scale < wanted) {
    const Result<Decimal256> scaled = value.Rescale(scale, wanted);
    if (!scaled.ok()) {
      return UnsupportedError("column \"{}\": {} does not fit {}", out->path(), text,
                              out->type()->ToString());
    }
    value = *scaled;
  }
  return AppendDecimal(value, out);
}

Status RescaleDecimal(const AvroSchema& writer, std::string_view bytes, AvroColumn* out) {
  ARROW_ASSIGN_OR_RAISE(Decimal256 value, FromBigEndian(bytes, *out));
  const Result<Decimal256> scaled = value.Rescale(writer.scale, DecimalTypeOf(*out).scale());
  if (!scaled.ok()) {
    return UnsupportedError("column \"{}\": {} is not exact as {}", out->path(),
                            PlainText(value, writer.scale), out->type()->ToString());
  }
  return AppendDecimal(*scaled, out);
}

}  // namespace

bool AvroRewriteAllowed(const AvroSchema& writer, const arrow::DataType& wanted) {
  const bool plain = writer.logical == AvroLogical::kNone;
  const bool decimal = writer.logical == AvroLogical::kDecimal;
  const bool number = plain && writer.kind >= AvroKind::kInt && writer.kind <= AvroKind::kDouble;
  switch (wanted.id()) {
    case arrow::Type::STRING:
      return number || decimal || writer.logical == AvroLogical::kDate;
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return number || decimal || writer.kind == AvroKind::kString ||
             writer.kind == AvroKind::kBytes;
    case arrow::Type::DATE32:
      return writer.kind == AvroKind::kString;
    default:
      return false;
  }
}

Status AvroRewrite(const AvroSchema& writer, ByteReader& in, AvroColumn* out) {
  if (writer.logical == AvroLogical::kDecimal) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadDecimalBytes(writer, in, *out));
    if (out->type()->id() != arrow::Type::STRING) return RescaleDecimal(writer, bytes, out);
    ARROW_ASSIGN_OR_RAISE(const Decimal256 value, FromBigEndian(bytes, *out));
    return out->AppendText(PlainText(value, writer.scale)) ? Status::OK() : out->status();
  }
  if (writer.kind == AvroKind::kBytes) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, in.ReadLengthPrefixed(out->path()));
    return AppendAvroDecimal(bytes, out);
  }
  ARROW_ASSIGN_OR_RAISE(const std::string text, ReadText(writer, in, *out));
  switch (out->type()->id()) {
    case arrow::Type::STRING:
      return out->AppendText(text) ? Status::OK() : out->status();
    case arrow::Type::DATE32: {
      ARROW_ASSIGN_OR_RAISE(const int32_t days, ParseDate(text, *out));
      return out->Append(days) ? Status::OK() : out->status();
    }
    default:
      return TextToDecimal(text, out);
  }
}

Status AppendAvroDecimal(std::string_view big_endian, AvroColumn* out) {
  ARROW_ASSIGN_OR_RAISE(const Decimal256 value, FromBigEndian(big_endian, *out));
  return AppendDecimal(value, out);
}

}  // namespace firth
