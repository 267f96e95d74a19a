// SPDX-License-Identifier: Apache-2.0
// RECORD_POSITIONS: Base64 of a 64-bit Roaring bitmap in its portable format. The bytes come from
// storage, so every invariant of the format is checked here.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;  // in the low half; the high half is count - 1
constexpr size_t kMaxContainers = 65536;
constexpr size_t kMaxArrayValues = 4096;
constexpr size_t kBitmapWords = 1024;
constexpr size_t kOffsetsFrom = 4;  // with runs, fewer containers have no offsets

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text.push_back(j <= count ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=');
    }
  }
  return text;
}

constexpr std::array<int8_t, 256> kBase64Values = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<uint8_t>(kBase64Digits[i])] = static_cast<int8_t>(i);
  }
  return values;
}();

/// The standard alphabet with padding and nothing else, as java.util.Base64 writes it.
Result<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return CorruptError("Base64 text of {} characters; a multiple of 4 is needed", text.size());
  }
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int value = j < digits ? kBase64Values[static_cast<uint8_t>(text[i + j])] : 0;
      if (value < 0) return CorruptError("character {} of a Base64 text is none", i + j);
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t j = 0; j + 1 < digits; ++j) {
      bytes.push_back(static_cast<char>(group >> (16 - 8 * j)));
    }
  }
  return bytes;
}

uint16_t LoadU16(std::string_view bytes, size_t index) {
  return LoadLittleEndian<uint16_t>(bytes.data() + 2 * index);
}

/// Parses the bitmap and collects its values in order.
class PositionParser {
 public:
  PositionParser(std::string_view bytes, int64_t max_count) : in_(bytes), max_count_(max_count) {}

  Result<std::vector<int64_t>> Parse();

 private:
  struct Container {
    uint16_t key = 0;
    size_t cardinality = 0;
    bool is_run = false;
  };
  struct Directory {
    std::vector<Container> containers;
    std::string_view offsets;  // empty when the format leaves them out
  };

  Status ParseBitmap32();
  Result<Directory> ParseDirectory();
  Status CheckOffset(std::string_view offsets, size_t index, size_t actual) const;
  Status ParseContainer(const Container& container);
  Status ParseArray(size_t cardinality);
  Status ParseBitmap(size_t cardinality);
  Status ParseRuns(size_t cardinality);
  void Add(uint32_t low) { positions_.push_back(base_ + low); }

  ByteReader in_;
  int64_t max_count_;
  int64_t base_ = 0;  // the upper 48 bits of the values being read
  std::vector<int64_t> positions_;
};

Result<std::vector<int64_t>> PositionParser::Parse() {
  ARROW_ASSIGN_OR_RAISE(const uint64_t count, in_.ReadU64Le("count of bitmaps"));
  int64_t previous = -1;
  for (uint64_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t high, in_.ReadU32Le("high word"));
    if (high > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
      return CorruptError("high word {} makes a position negative", high);
    }
    if (high <= previous) return CorruptError("high word {} follows {}", high, previous);
    previous = high;
    base_ = static_cast<int64_t>(high) << 32;
    ARROW_RETURN_NOT_OK(ParseBitmap32());
  }
  if (!in_.AtEnd()) return CorruptError("{} bytes follow the last bitmap", in_.remaining());
  return std::move(positions_);
}

Result<PositionParser::Directory> PositionParser::ParseDirectory() {
  ARROW_ASSIGN_OR_RAISE(const uint32_t cookie, in_.ReadU32Le("cookie"));
  size_t count = 0;
  std::string_view run_flags;
  if ((cookie & 0xFFFF) == kCookieWithRuns) {
    count = (cookie >> 16) + 1;
    ARROW_ASSIGN_OR_RAISE(run_flags, in_.ReadBytes((count + 7) / 8, "run flags"));
  } else if (cookie == kCookieWithoutRuns) {
    ARROW_ASSIGN_OR_RAISE(count, in_.ReadU32Le("count of containers"));
    if (count > kMaxContainers) {
      return CorruptError("{} containers; at most {} are possible", count, kMaxContainers);
    }
  } else {
    return CorruptError("cookie {}; {} or {} are possible", cookie, kCookieWithoutRuns,
                        kCookieWithRuns);
  }
  ARROW_ASSIGN_OR_RAISE(const std::string_view headers,
                        in_.ReadBytes(4 * count, "container headers"));
  Directory directory{std::vector<Container>(count), {}};
  for (size_t i = 0; i < count; ++i) {
    Container& container = directory.containers[i];
    container = {.key = LoadU16(headers, 2 * i),
                 .cardinality = size_t{LoadU16(headers, 2 * i + 1)} + 1,
                 .is_run = !run_flags.empty() && (run_flags[i / 8] >> (i % 8) & 1) != 0};
    if (i > 0 && container.key <= directory.containers[i - 1].key) {
      return CorruptError("container key {} follows {}", container.key,
                          directory.containers[i - 1].key);
    }
  }
  if (run_flags.empty() || count >= kOffsetsFrom) {
    ARROW_ASSIGN_OR_RAISE(directory.offsets, in_.ReadBytes(4 * count, "container offsets"));
  }
  return directory;
}

Status PositionParser::ParseBitmap32() {
  const size_t start = in_.offset();
  ARROW_ASSIGN_OR_RAISE(const Directory directory, ParseDirectory());
  const int64_t bitmap_base = base_;
  for (size_t i = 0; i < directory.containers.size(); ++i) {
    const Container& container = directory.containers[i];
    if (!directory.offsets.empty()) {
      ARROW_RETURN_NOT_OK(CheckOffset(directory.offsets, i, in_.offset() - start));
    }
    base_ = bitmap_base + (int64_t{container.key} << 16);
    ARROW_RETURN_NOT_OK(ParseContainer(container));
  }
  return Status::OK();
}

Status PositionParser::CheckOffset(std::string_view offsets, size_t index, size_t actual) const {
  const auto stated = LoadLittleEndian<uint32_t>(offsets.data() + 4 * index);
  if (stated == actual) return Status::OK();
  return CorruptError("container {} is said to be at offset {}, but is at {}", index, stated,
                      actual);
}

Status PositionParser::ParseContainer(const Container& container) {
  const auto total = static_cast<int64_t>(positions_.size() + container.cardinality);
  if (total > max_count_) {
    return CorruptError("at least {} positions, at most {} are possible", total, max_count_);
  }
  if (container.is_run) return ParseRuns(container.cardinality);
  if (container.cardinality <= kMaxArrayValues) return ParseArray(container.cardinality);
  return ParseBitmap(container.cardinality);
}

Status PositionParser::ParseArray(size_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view values,
                        in_.ReadBytes(2 * cardinality, "array container"));
  int previous = -1;
  for (size_t i = 0; i < cardinality; ++i) {
    const uint16_t value = LoadU16(values, i);
    if (value <= previous) return CorruptError("array value {} follows {}", value, previous);
    previous = value;
    Add(value);
  }
  return Status::OK();
}

Status PositionParser::ParseBitmap(size_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view words,
                        in_.ReadBytes(8 * kBitmapWords, "bitmap container"));
  size_t found = 0;
  for (size_t i = 0; i < kBitmapWords; ++i) {
    found += static_cast<size_t>(std::popcount(LoadLittleEndian<uint64_t>(words.data() + 8 * i)));
  }
  if (found != cardinality) {
    return CorruptError("bitmap container of {} values has {} bits", cardinality, found);
  }
  for (size_t i = 0; i < kBitmapWords; ++i) {
    for (auto word = LoadLittleEndian<uint64_t>(words.data() + 8 * i); word != 0;
         word &= word - 1) {
      Add(static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }
  return Status::OK();
}

Status PositionParser::ParseRuns(size_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view count_bytes, in_.ReadBytes(2, "count of runs"));
  const size_t count = LoadU16(count_bytes, 0);
  ARROW_ASSIGN_OR_RAISE(const std::string_view runs, in_.ReadBytes(4 * count, "run container"));
  size_t found = 0;
  int previous_last = -1;
  for (size_t i = 0; i < count; ++i) {
    const int first = LoadU16(runs, 2 * i);
    const int last = first + LoadU16(runs, 2 * i + 1);
    if (first <= previous_last || last > std::numeric_limits<uint16_t>::max()) {
      return CorruptError("run {} to {} follows {}", first, last, previous_last);
    }
    found += static_cast<size_t>(last - first) + 1;
    if (found > cardinality) break;
    for (int value = first; value <= last; ++value) Add(static_cast<uint32_t>(value));
    previous_last = last;
  }
  if (found == cardinality) return Status::OK();
  return CorruptError("run container of {} values has {} or more", cardinality, found);
}

/// Values of one container, the low halves in `values`, ascending.
struct ContainerPlan {
  uint16_t key = 0;
  std::span<const int64_t> values;
  size_t runs = 0;

  size_t PlainBytes() const {
    return values.size() <= kMaxArrayValues ? 2 * values.size() : 8 * kBitmapWords;
  }
  size_t RunBytes() const { return 2 + 4 * runs; }
  bool IsRun() const { return RunBytes() < PlainBytes(); }
  size_t Bytes() const { return IsRun() ? RunBytes() : PlainBytes(); }
};

void PutU16(uint16_t value, ByteWriter* out) {
  out->PutU8(static_cast<uint8_t>(value));
  out->PutU8(static_cast<uint8_t>(value >> 8));
}

/// Cuts off the leading values that share all but their lower `bits`.
std::span<const int64_t> TakeGroup(std::span<const int64_t>* values, int bits) {
  const int64_t high = values->front() >> bits;
  const auto end = std::ranges::find_if(*values, [&](int64_t v) { return v >> bits != high; });
  const auto count = static_cast<size_t>(end - values->begin());
  const std::span<const int64_t> group = values->first(count);
  *values = values->subspan(count);
  return group;
}

std::vector<ContainerPlan> PlanContainers(std::span<const int64_t> values) {
  std::vector<ContainerPlan> plans;
  while (!values.empty()) {
    ContainerPlan plan;
    plan.values = TakeGroup(&values, 16);
    plan.key = static_cast<uint16_t>(plan.values.front() >> 16);
    plan.runs = 1;
    for (size_t i = 1; i < plan.values.size(); ++i) {
      plan.runs += plan.values[i] != plan.values[i - 1] + 1 ? 1 : 0;
    }
    plans.push_back(plan);
  }
  return plans;
}

void PutRuns(const ContainerPlan& plan, ByteWriter* out) {
  PutU16(static_cast<uint16_t>(plan.runs), out);
  for (size_t begin = 0; begin < plan.values.size();) {
    size_t end = begin + 1;
    while (end < plan.values.size() && plan.values[end] == plan.values[end - 1] + 1) ++end;
    PutU16(static_cast<uint16_t>(plan.values[begin]), out);
    PutU16(static_cast<uint16_t>(end - begin - 1), out);
    begin = end;
  }
}

void PutContainer(const ContainerPlan& plan, ByteWriter* out) {
  if (plan.IsRun()) return PutRuns(plan, out);
  if (plan.values.size() <= kMaxArrayValues) {
    for (const int64_t value : plan.values) PutU16(static_cast<uint16_t>(value), out);
    return;
  }
  std::array<uint64_t, kBitmapWords> words{};
  for (const int64_t value : plan.values) {
    const auto low = static_cast<uint16_t>(value);
    words[low / 64] |= uint64_t{1} << (low % 64);
  }
  for (const uint64_t word : words) out->PutU64Le(word);
}

void PutBitmap32(std::span<const int64_t> values, ByteWriter* out) {
  const std::vector<ContainerPlan> plans = PlanContainers(values);
  const bool has_runs = std::ranges::any_of(plans, &ContainerPlan::IsRun);
  const size_t start = out->size();
  if (has_runs) {
    out->PutU32Le(kCookieWithRuns | static_cast<uint32_t>(plans.size() - 1) << 16);
    std::string flags((plans.size() + 7) / 8, '\0');
    for (size_t i = 0; i < plans.size(); ++i) {
      if (plans[i].IsRun()) flags[i / 8] = static_cast<char>(flags[i / 8] | 1 << (i % 8));
    }
    out->PutBytes(flags);
  } else {
    out->PutU32Le(kCookieWithoutRuns);
    out->PutU32Le(static_cast<uint32_t>(plans.size()));
  }
  for (const ContainerPlan& plan : plans) {
    PutU16(plan.key, out);
    PutU16(static_cast<uint16_t>(plan.values.size() - 1), out);
  }
  if (!has_runs || plans.size() >= kOffsetsFrom) {
    size_t offset = out->size() - start + 4 * plans.size();
    for (const ContainerPlan& plan : plans) {
      out->PutU32Le(static_cast<uint32_t>(offset));
      offset += plan.Bytes();
    }
  }
  for (const ContainerPlan& plan : plans) PutContainer(plan, out);
}

}  // namespace

Result<std::vector<int64_t>> DecodeRecordPositions(std::string_view base64, int64_t max_count) {
  const auto decode = [&]() -> Result<std::vector<int64_t>> {
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, DecodeBase64(base64));
    return PositionParser(bytes, max_count).Parse();
  };
  Result<std::vector<int64_t>> positions = decode();
  if (positions.ok()) return positions;
  return WithContext(positions.status(), "RECORD_POSITIONS");
}

Result<std::string> EncodeRecordPositions(const std::vector<int64_t>& positions) {
  int64_t previous = -1;
  for (const int64_t position : positions) {
    if (position <= previous) {
      return InvalidError("record position {} follows {}; they must ascend from 0", position,
                          previous);
    }
    previous = position;
  }
  ByteWriter bitmaps;
  uint64_t count = 0;
  for (std::span<const int64_t> rest = positions; !rest.empty(); ++count) {
    const std::span<const int64_t> group = TakeGroup(&rest, 32);
    bitmaps.PutU32Le(static_cast<uint32_t>(group.front() >> 32));
    PutBitmap32(group, &bitmaps);
  }
  ByteWriter out;
  out.PutU64Le(count);
  out.PutBytes(bitmaps.bytes());
  return EncodeBase64(out.bytes());
}

}  // namespace firth
