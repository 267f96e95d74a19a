// SPDX-License-Identifier: Apache-2.0
// Delete blocks: the Avro datum HoodieDeleteRecordList, whose schema is fixed, read and written
// without a general Avro codec.
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

using Kind = OrderingValue::Kind;

constexpr int32_t kDeleteBlockVersion = 3;
// Branch numbers equal Kind, but the union inside an array has LocalDateWrapper where the outer one
// has ArrayWrapper.
constexpr int64_t kArrayBranch = static_cast<int64_t>(Kind::kArray);
constexpr int64_t kInnerLocalDateBranch = kArrayBranch;

/// Which alternative of OrderingValue::value a kind has.
enum class Shape { kNone, kBool, kInteger, kFloating, kText, kMembers };

Shape ShapeOf(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return Shape::kNone;
    case Kind::kBoolean:
      return Shape::kBool;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kDate:
    case Kind::kTimeMicros:
    case Kind::kTimestampMicros:
    case Kind::kLocalDate:
      return Shape::kInteger;
    case Kind::kFloat:
    case Kind::kDouble:
      return Shape::kFloating;
    case Kind::kBytes:
    case Kind::kString:
    case Kind::kDecimal:
      return Shape::kText;
    case Kind::kArray:
      return Shape::kMembers;
  }
  return Shape::kNone;
}

bool IsInt32(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kDate || kind == Kind::kLocalDate;
}

bool FitsInt32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

Result<bool> ReadBoolean(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const uint8_t byte, in.ReadU8("boolean"));
  if (byte > 1) return CorruptError("boolean before offset {} is {}", in.offset(), byte);
  return byte == 1;
}

Result<int64_t> ReadInteger(ByteReader& in, Kind kind) {
  ARROW_ASSIGN_OR_RAISE(const int64_t value, in.ReadZigZag("integer"));
  if (IsInt32(kind) && !FitsInt32(value)) {
    return CorruptError("32-bit integer before offset {} is {}", in.offset(), value);
  }
  return value;
}

Result<double> ReadFloating(ByteReader& in, Kind kind) {
  if (kind == Kind::kFloat) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t bits, in.ReadU32Le("float"));
    return static_cast<double>(std::bit_cast<float>(bits));
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t bits, in.ReadU64Le("double"));
  return std::bit_cast<double>(bits);
}

Result<std::string> ReadText(ByteReader& in, Kind kind) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, in.ReadLengthPrefixed("value"));
  if (kind == Kind::kDecimal && bytes.empty()) {
    return CorruptError("decimal before offset {} has no bytes", in.offset());
  }
  return std::string(bytes);
}

/// The branch of a [null, T] union: true for T.
Result<bool> ReadIsPresent(ByteReader& in, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const int64_t branch, in.ReadZigZag(what));
  if (branch != 0 && branch != 1) {
    return CorruptError("{} before offset {} has union branch {}; 0 and 1 exist", what, in.offset(),
                        branch);
  }
  return branch == 1;
}

/// Calls `read_item` for each item of an Avro array, whose blocks may carry their size in bytes.
/// @param min_item_bytes what an item takes at least, so that a count can be checked
template <typename ReadItem>
Status ReadArray(ByteReader& in, size_t min_item_bytes, ReadItem read_item) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(int64_t count, in.ReadZigZag("item count"));
    if (count == 0) return Status::OK();
    if (count < 0) {
      ARROW_RETURN_NOT_OK(in.ReadZigZag("size of an array block").status());
      count = count == std::numeric_limits<int64_t>::min() ? count : -count;
    }
    if (count < 0 || static_cast<uint64_t>(count) > in.remaining() / min_item_bytes) {
      return CorruptError("array before offset {} claims {} items, {} bytes remain", in.offset(),
                          count, in.remaining());
    }
    for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(read_item());
  }
}

Result<OrderingValue> ReadOrderingValue(ByteReader& in, bool inside_array);

/// ArrayWrapper: [null, array of wrappers].
Result<OrderingValue> ReadOrderingArray(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const bool present, ReadIsPresent(in, "wrappedValues"));
  if (!present) return OrderingValue{};
  std::vector<OrderingValue> members;
  ARROW_RETURN_NOT_OK(ReadArray(in, 1, [&]() -> Status {
    return ReadOrderingValue(in, /*inside_array=*/true).Value(&members.emplace_back());
  }));
  return OrderingValue{Kind::kArray, std::move(members)};
}

Result<OrderingValue> ReadOrderingValue(ByteReader& in, bool inside_array) {
  ARROW_ASSIGN_OR_RAISE(const int64_t branch, in.ReadZigZag("branch of an ordering value"));
  // No release names LocalDateWrapper in the outer union; the wrappers have it, so it is
  // understood.
  const int64_t last = inside_array ? kInnerLocalDateBranch : kArrayBranch + 1;
  if (branch < 0 || branch > last) {
    return CorruptError("ordering value before offset {} has union branch {}; 0 to {} exist",
                        in.offset(), branch, last);
  }
  const Kind kind = inside_array && branch == kInnerLocalDateBranch ? Kind::kLocalDate
                                                                    : static_cast<Kind>(branch);
  switch (ShapeOf(kind)) {
    case Shape::kNone:
      return OrderingValue{};
    case Shape::kBool: {
      ARROW_ASSIGN_OR_RAISE(const bool value, ReadBoolean(in));
      return OrderingValue{kind, value};
    }
    case Shape::kInteger: {
      ARROW_ASSIGN_OR_RAISE(const int64_t value, ReadInteger(in, kind));
      return OrderingValue{kind, value};
    }
    case Shape::kFloating: {
      ARROW_ASSIGN_OR_RAISE(const double value, ReadFloating(in, kind));
      return OrderingValue{kind, value};
    }
    case Shape::kText: {
      ARROW_ASSIGN_OR_RAISE(std::string value, ReadText(in, kind));
      return OrderingValue{kind, std::move(value)};
    }
    case Shape::kMembers:
      return ReadOrderingArray(in);
  }
  return InternalError("ordering kind {} has no shape", static_cast<int>(kind));
}

Result<DeleteRecord> ReadDeleteRecord(ByteReader& in) {
  DeleteRecord record;
  ARROW_ASSIGN_OR_RAISE(const bool has_key, ReadIsPresent(in, "recordKey"));
  if (!has_key) return CorruptError("delete record before offset {} has no key", in.offset());
  ARROW_ASSIGN_OR_RAISE(record.record_key, in.ReadLengthPrefixed("recordKey"));
  ARROW_ASSIGN_OR_RAISE(const bool has_partition, ReadIsPresent(in, "partitionPath"));
  if (has_partition) {
    ARROW_ASSIGN_OR_RAISE(record.partition_path, in.ReadLengthPrefixed("partitionPath"));
  }
  ARROW_ASSIGN_OR_RAISE(record.ordering, ReadOrderingValue(in, /*inside_array=*/false));
  return record;
}

Status PutOrderingValue(const OrderingValue& ordering, bool inside_array, ByteWriter* out);

Status PutMembers(const std::vector<OrderingValue>& members, ByteWriter* out) {
  out->PutZigZag(1);
  if (!members.empty()) out->PutZigZag(static_cast<int64_t>(members.size()));
  for (const OrderingValue& member : members) {
    ARROW_RETURN_NOT_OK(PutOrderingValue(member, /*inside_array=*/true, out));
  }
  out->PutZigZag(0);
  return Status::OK();
}

Status PutOrderingValue(const OrderingValue& ordering, bool inside_array, ByteWriter* out) {
  const Shape shape = ShapeOf(ordering.kind);
  if (ordering.value.index() != static_cast<size_t>(shape) ||
      (inside_array && shape == Shape::kMembers)) {
    return InvalidError("ordering value of kind {} holds alternative {}{}",
                        static_cast<int>(ordering.kind), ordering.value.index(),
                        inside_array ? " inside an array" : "");
  }
  int64_t branch = static_cast<int64_t>(ordering.kind);
  if (ordering.kind == Kind::kLocalDate) {
    // The outer union of the releases lacks LocalDateWrapper; DateWrapper has the same bytes.
    branch = inside_array ? kInnerLocalDateBranch : static_cast<int64_t>(Kind::kDate);
  }
  out->PutZigZag(branch);
  switch (shape) {
    case Shape::kNone:
      break;
    case Shape::kBool:
      out->PutU8(std::get<bool>(ordering.value) ? 1 : 0);
      break;
    case Shape::kInteger: {
      const auto value = std::get<int64_t>(ordering.value);
      if (IsInt32(ordering.kind) && !FitsInt32(value)) {
        return InvalidError("ordering value {} does not fit 32 bits", value);
      }
      out->PutZigZag(value);
      break;
    }
    case Shape::kFloating: {
      const auto value = std::get<double>(ordering.value);
      if (ordering.kind == Kind::kFloat) {
        out->PutU32Le(std::bit_cast<uint32_t>(static_cast<float>(value)));
      } else {
        out->PutU64Le(std::bit_cast<uint64_t>(value));
      }
      break;
    }
    case Shape::kText:
      out->PutLengthPrefixed(std::get<std::string>(ordering.value));
      break;
    case Shape::kMembers:
      return PutMembers(std::get<std::vector<OrderingValue>>(ordering.value), out);
  }
  return Status::OK();
}

Status CheckDeleteBlockVersion(int32_t version) {
  if (version == kDeleteBlockVersion) return Status::OK();
  if (version == 1 || version == 2) {
    return UnsupportedError(
        "delete block version {} is Kryo-serialised (written before Hudi 0.14); firth reads "
        "version {}",
        version, kDeleteBlockVersion);
  }
  return UnsupportedError("delete block version {}; firth reads version {}", version,
                          kDeleteBlockVersion);
}

}  // namespace

Result<std::vector<DeleteRecord>> DecodeDeleteBlock(std::string_view content) {
  ByteReader in(content);
  ARROW_ASSIGN_OR_RAISE(const int32_t version, in.ReadI32Be("version of a delete block"));
  ARROW_RETURN_NOT_OK(CheckDeleteBlockVersion(version));
  ARROW_ASSIGN_OR_RAISE(const int32_t length, in.ReadI32Be("payload length of a delete block"));
  if (length < 0 || static_cast<size_t>(length) != in.remaining()) {
    return CorruptError("delete block claims a payload of {} bytes, {} follow", length,
                        in.remaining());
  }
  constexpr size_t kMinRecordBytes = 4;  // three union branches and the length of the key
  std::vector<DeleteRecord> records;
  ARROW_RETURN_NOT_OK(ReadArray(in, kMinRecordBytes, [&]() -> Status {
    return ReadDeleteRecord(in).Value(&records.emplace_back());
  }));
  if (!in.AtEnd()) {
    return CorruptError("{} bytes after the last entry of a delete block", in.remaining());
  }
  return records;
}

Result<std::string> EncodeDeleteBlock(const std::vector<DeleteRecord>& records) {
  ByteWriter payload;
  if (!records.empty()) payload.PutZigZag(static_cast<int64_t>(records.size()));
  for (const DeleteRecord& record : records) {
    payload.PutZigZag(1);
    payload.PutLengthPrefixed(record.record_key);
    payload.PutZigZag(1);
    payload.PutLengthPrefixed(record.partition_path);
    ARROW_RETURN_NOT_OK(PutOrderingValue(record.ordering, /*inside_array=*/false, &payload));
  }
  payload.PutZigZag(0);
  ByteWriter out;
  out.PutI32Be(kDeleteBlockVersion);
  out.PutI32Be(static_cast<int32_t>(payload.size()));
  out.PutBytes(payload.bytes());
  return out.Finish();
}

}  // namespace firth
