// SPDX-License-Identifier: Apache-2.0
// Single datums as JSON values: the readable, unhurried codec. The timeline uses it, and the tests
// of the columnar decoder check that one against this one.
#include <cmath>
#include <limits>
#include <utility>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using nlohmann::json;

// Values of no bytes (null, empty records) may not multiply: what a datum may hold for each byte
// read so far, and beyond that.
constexpr int64_t kValuesPerByte = 16;
constexpr int64_t kSpareValues = 256;

class JsonDecoder {
 public:
  explicit JsonDecoder(ByteReader& in) : in_(in), start_(in.offset()) {}

  Result<json> Decode(const AvroSchema& schema) {
    if (++values_ > kSpareValues + kValuesPerByte * static_cast<int64_t>(in_.offset() - start_)) {
      return CorruptError("avro datum holds more than {} values a byte before offset {}",
                          kValuesPerByte, in_.offset());
    }
    switch (schema.kind) {
      case AvroKind::kNull:
        return json();
      case AvroKind::kBoolean:
        return DecodeBoolean();
      case AvroKind::kInt:
        return DecodeInt();
      case AvroKind::kLong: {
        ARROW_ASSIGN_OR_RAISE(const int64_t value, in_.ReadZigZag("avro long"));
        return json(value);
      }
      case AvroKind::kFloat: {
        ARROW_ASSIGN_OR_RAISE(const uint32_t bits, in_.ReadU32Le("avro float"));
        return json(static_cast<double>(std::bit_cast<float>(bits)));
      }
      case AvroKind::kDouble: {
        ARROW_ASSIGN_OR_RAISE(const uint64_t bits, in_.ReadU64Le("avro double"));
        return json(std::bit_cast<double>(bits));
      }
      case AvroKind::kBytes:
      case AvroKind::kString: {
        ARROW_ASSIGN_OR_RAISE(const std::string_view bytes,
                              in_.ReadLengthPrefixed("avro bytes or string"));
        return json(std::string(bytes));
      }
      case AvroKind::kFixed: {
        ARROW_ASSIGN_OR_RAISE(const std::string_view bytes,
                              in_.ReadBytes(static_cast<size_t>(schema.size), "avro fixed"));
        return json(std::string(bytes));
      }
      case AvroKind::kEnum: {
        ARROW_ASSIGN_OR_RAISE(const size_t index, ReadIndex(schema.symbols.size(), "avro enum"));
        return json(schema.symbols[index]);
      }
      case AvroKind::kRecord:
        return DecodeRecord(schema);
      case AvroKind::kArray:
      case AvroKind::kMap:
        return DecodeItems(schema);
      case AvroKind::kUnion: {
        ARROW_ASSIGN_OR_RAISE(const size_t index, ReadIndex(schema.types.size(), "avro union"));
        return Decode(*schema.types[index]);
      }
    }
    return InternalError("avro kind {} is not known", static_cast<int>(schema.kind));
  }

 private:
  Result<json> DecodeBoolean() {
    ARROW_ASSIGN_OR_RAISE(const uint8_t byte, in_.ReadU8("avro boolean"));
    if (byte > 1) return CorruptError("avro boolean is {}; must be 0 or 1", byte);
    return json(byte == 1);
  }

  Result<json> DecodeInt() {
    ARROW_ASSIGN_OR_RAISE(const int64_t value, in_.ReadZigZag("avro int"));
    if (value != static_cast<int32_t>(value)) {
      return CorruptError("avro int is {}; must fit 32 bits", value);
    }
    return json(value);
  }

  Result<size_t> ReadIndex(size_t limit, std::string_view what) {
    ARROW_ASSIGN_OR_RAISE(const int64_t index, in_.ReadZigZag(what));
    if (index < 0 || static_cast<uint64_t>(index) >= limit) {
      return CorruptError("{} index is {}; must be below {}", what, index, limit);
    }
    return static_cast<size_t>(index);
  }

  Result<json> DecodeRecord(const AvroSchema& schema) {
    json record = json::object();
    for (const AvroField& field : schema.fields) {
      Result<json> value = Decode(*field.type);
      if (!value.ok()) return WithContext(value.status(), field.name);
      record[field.name] = *std::move(value);
    }
    return record;
  }

  Result<json> DecodeItems(const AvroSchema& schema) {
    const bool is_map = schema.kind == AvroKind::kMap;
    json items = is_map ? json::object() : json::array();
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(int64_t count, in_.ReadZigZag("avro block count"));
      if (count == 0) return items;
      if (count < 0) {
        ARROW_RETURN_NOT_OK(in_.ReadZigZag("avro block size"));
        if (count == std::numeric_limits<int64_t>::min()) {
          return CorruptError("avro block count is {}", count);
        }
        count = -count;
      }
      for (int64_t i = 0; i < count; ++i) {  // ends with the bytes, or too many values
        if (is_map) {
          ARROW_ASSIGN_OR_RAISE(const std::string_view key, in_.ReadLengthPrefixed("avro map key"));
          ARROW_ASSIGN_OR_RAISE(items[std::string(key)], Decode(*schema.types[0]));
        } else {
          ARROW_ASSIGN_OR_RAISE(json value, Decode(*schema.types[0]));
          items.push_back(std::move(value));
        }
      }
    }
  }

  ByteReader& in_;
  const size_t start_;
  int64_t values_ = 0;
};

// Whether a value may be written under a schema, judged by its outer form only for records and
// collections. Used to choose the branch of a union.
bool Accepts(const AvroSchema& schema, const json& value) {
  switch (schema.kind) {
    case AvroKind::kNull:
      return value.is_null();
    case AvroKind::kBoolean:
      return value.is_boolean();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return value.is_number_integer();
    case AvroKind::kFloat:
    case AvroKind::kDouble:
      return value.is_number();
    case AvroKind::kBytes:
    case AvroKind::kString:
      return value.is_string();
    case AvroKind::kFixed:
      return value.is_string() &&
             value.get_ref<const std::string&>().size() == static_cast<size_t>(schema.size);
    case AvroKind::kEnum:
      return value.is_string() &&
             std::ranges::find(schema.symbols, value.get_ref<const std::string&>()) !=
                 schema.symbols.end();
    case AvroKind::kRecord:
      if (!value.is_object()) return false;
      for (const auto& [key, member] : value.items()) {
        if (schema.FindField(key) == nullptr) return false;
      }
      return true;
    case AvroKind::kArray:
      return value.is_array();
    case AvroKind::kMap:
      return value.is_object();
    case AvroKind::kUnion:
      return std::ranges::any_of(schema.types, [&](const auto& t) { return Accepts(*t, value); });
  }
  return false;
}

class JsonEncoder {
 public:
  explicit JsonEncoder(ByteWriter* out) : out_(out) {}

  Status Encode(const AvroSchema& schema, const json& value) {
    if (!Accepts(schema, value)) return Mismatch(schema, value);
    switch (schema.kind) {
      case AvroKind::kNull:
        return Status::OK();
      case AvroKind::kBoolean:
        out_->PutU8(value.get<bool>() ? 1 : 0);
        return Status::OK();
      case AvroKind::kInt:
      case AvroKind::kLong:
        return EncodeInteger(schema, value);
      case AvroKind::kFloat:
        out_->PutU32Le(std::bit_cast<uint32_t>(static_cast<float>(value.get<double>())));
        return Status::OK();
      case AvroKind::kDouble:
        out_->PutU64Le(std::bit_cast<uint64_t>(value.get<double>()));
        return Status::OK();
      case AvroKind::kBytes:
      case AvroKind::kString:
        out_->PutLengthPrefixed(value.get_ref<const std::string&>());
        return Status::OK();
      case AvroKind::kFixed:
        out_->PutBytes(value.get_ref<const std::string&>());
        return Status::OK();
      case AvroKind::kEnum:
        out_->PutZigZag(std::ranges::find(schema.symbols, value.get_ref<const std::string&>()) -
                        schema.symbols.begin());
        return Status::OK();
      case AvroKind::kRecord:
        return EncodeRecord(schema, value);
      case AvroKind::kArray:
      case AvroKind::kMap:
        return EncodeItems(schema, value);
      case AvroKind::kUnion: {
        const auto branch =
            std::ranges::find_if(schema.types, [&](const auto& t) { return Accepts(*t, value); });
        out_->PutZigZag(branch - schema.types.begin());
        return Encode(**branch, value);
      }
    }
    return InternalError("avro kind {} is not known", static_cast<int>(schema.kind));
  }

 private:
  static Status Mismatch(const AvroSchema& schema, const json& value) {
    const std::string_view kind = AvroKindName(schema.kind);
    if (schema.kind == AvroKind::kRecord && value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        if (schema.FindField(key) == nullptr) {
          return InvalidError("record \"{}\" has no field \"{}\"", schema.full_name, key);
        }
      }
    }
    return InvalidError("a JSON {} is no value of avro type {} {}", value.type_name(), kind,
                        schema.full_name);
  }

  Status EncodeInteger(const AvroSchema& schema, const json& value) {
    const auto number = value.get<int64_t>();
    if (value.is_number_unsigned() && number < 0) {
      return InvalidError("{} does not fit avro type long", value.get<uint64_t>());
    }
    if (schema.kind == AvroKind::kInt && number != static_cast<int32_t>(number)) {
      return InvalidError("{} does not fit avro type int", number);
    }
    out_->PutZigZag(number);
    return Status::OK();
  }

  Status EncodeRecord(const AvroSchema& schema, const json& value) {
    for (const AvroField& field : schema.fields) {
      const auto it = value.find(field.name);
      Status status;
      if (it != value.end()) {
        status = Encode(*field.type, *it);
      } else if (field.has_default) {
        status = Encode(*field.type, field.default_value);
      } else if (Accepts(*field.type, json())) {
        status = Encode(*field.type, json());
      } else {
        status = InvalidError("the value is missing and the field has no default");
      }
      if (!status.ok()) return WithContext(status, field.name);
    }
    return Status::OK();
  }

  Status EncodeItems(const AvroSchema& schema, const json& value) {
    if (!value.empty()) {
      out_->PutZigZag(static_cast<int64_t>(value.size()));
      for (const auto& [key, item] : value.items()) {
        if (schema.kind == AvroKind::kMap) out_->PutLengthPrefixed(key);
        ARROW_RETURN_NOT_OK(Encode(*schema.types[0], item));
      }
    }
    out_->PutZigZag(0);
    return Status::OK();
  }

  ByteWriter* out_;
};

}  // namespace

Result<json> DecodeAvroJson(const AvroSchema& schema, ByteReader& in) {
  return JsonDecoder(in).Decode(schema);
}

Status EncodeAvroJson(const AvroSchema& schema, const json& value, ByteWriter* out) {
  return JsonEncoder(out).Encode(schema, value);
}

}  // namespace firth
