// SPDX-License-Identifier: Apache-2.0
// Rows of Arrow arrays as binary records. A node a schema part, bound to the buffers of a batch.
#include <arrow/array/data.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "firth/format/avro/avro_codec.h"
#include "firth/format/avro/avro_union.h"

namespace firth {
namespace {

struct Node {
  const AvroSchema* writer = nullptr;  // without its null branch
  AvroOptional optional;
  int child = 0;  // the place of the column in its parent
  std::shared_ptr<arrow::DataType> type;
  std::string path;
  std::vector<Node> children;
  // Of the batch at hand:
  const arrow::ArrayData* data = nullptr;
  const uint8_t* validity = nullptr;
  const uint8_t* values = nullptr;   // buffer 1: values or offsets
  const uint8_t* content = nullptr;  // buffer 2: the bytes of text and binary

  template <typename T>
  T Value(int64_t index) const {
    return reinterpret_cast<const T*>(values)[index];
  }
};

bool IsInteger(arrow::Type::type id) {
  return id == arrow::Type::INT8 || id == arrow::Type::INT16 || id == arrow::Type::INT32;
}

bool MatchesInt(const AvroSchema& writer, const arrow::DataType& type) {
  switch (writer.logical) {
    case AvroLogical::kDate:
      return type.id() == arrow::Type::DATE32;
    case AvroLogical::kTimeMillis:
      return type.Equals(arrow::Time32Type(arrow::TimeUnit::MILLI));
    default:
      return IsInteger(type.id());
  }
}

bool MatchesLong(const AvroSchema& writer, const arrow::DataType& type) {
  if (type.id() == arrow::Type::TIMESTAMP) {
    const auto unit = static_cast<const arrow::TimestampType&>(type).unit();
    return (unit == arrow::TimeUnit::MILLI && IsAvroMillis(writer.logical)) ||
           (unit == arrow::TimeUnit::MICRO && IsAvroMicros(writer.logical));
  }
  if (writer.logical == AvroLogical::kTimeMicros) {
    return type.Equals(arrow::Time64Type(arrow::TimeUnit::MICRO));
  }
  return writer.logical == AvroLogical::kNone &&
         (type.id() == arrow::Type::INT64 || IsInteger(type.id()));
}

bool MatchesDecimal(const AvroSchema& writer, const arrow::DataType& type) {
  if (!arrow::is_decimal(type.id()) || type.byte_width() < 16) return false;
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  return decimal.scale() == writer.scale && decimal.precision() <= writer.precision;
}

bool MatchesVector(const AvroSchema& writer, const arrow::DataType& type) {
  if (type.id() != arrow::Type::FIXED_SIZE_LIST) return false;
  const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
  if (list.list_size() != writer.dimension) return false;
  switch (list.value_type()->id()) {
    case arrow::Type::FLOAT:
      return writer.element_type == "FLOAT";
    case arrow::Type::DOUBLE:
      return writer.element_type == "DOUBLE";
    case arrow::Type::INT8:
      return writer.element_type == "INT8";
    default:
      return false;
  }
}

bool Matches(const AvroSchema& writer, const arrow::DataType& type) {
  const arrow::Type::type id = type.id();
  switch (writer.kind) {
    case AvroKind::kNull:
      return id == arrow::Type::NA;
    case AvroKind::kBoolean:
      return id == arrow::Type::BOOL;
    case AvroKind::kInt:
      return MatchesInt(writer, type);
    case AvroKind::kLong:
      return MatchesLong(writer, type);
    case AvroKind::kFloat:
      return id == arrow::Type::FLOAT;
    case AvroKind::kDouble:
      return id == arrow::Type::DOUBLE;
    case AvroKind::kString:
    case AvroKind::kEnum:
      return id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING;
    case AvroKind::kBytes:
      if (writer.logical == AvroLogical::kDecimal) return MatchesDecimal(writer, type);
      return id == arrow::Type::BINARY || id == arrow::Type::LARGE_BINARY;
    case AvroKind::kFixed:
      if (writer.logical == AvroLogical::kDecimal) return MatchesDecimal(writer, type);
      if (writer.logical == AvroLogical::kVector) return MatchesVector(writer, type);
      return id == arrow::Type::FIXED_SIZE_BINARY && type.byte_width() == writer.size;
    case AvroKind::kRecord:
      return id == arrow::Type::STRUCT;
    case AvroKind::kArray:
      return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST;
    case AvroKind::kMap:
      return id == arrow::Type::MAP;
    case AvroKind::kUnion:
      return false;
  }
  return false;
}

Result<Node> MakeNode(const AvroSchema& schema, const std::shared_ptr<arrow::DataType>& type,
                      std::string path);

// The fields of a record, each with its place among the columns.
Result<std::vector<Node>> MakeFields(const AvroSchema& record, const arrow::FieldVector& columns,
                                     const std::string& path) {
  std::vector<Node> nodes;
  nodes.reserve(record.fields.size());
  for (const AvroField& field : record.fields) {
    std::string name = path.empty() ? field.name : path + "." + field.name;
    const auto it =
        std::ranges::find_if(columns, [&](const auto& c) { return c->name() == field.name; });
    if (it == columns.end()) {
      return InvalidError("column \"{}\" of the avro schema is not in the batch", name);
    }
    ARROW_ASSIGN_OR_RAISE(Node node, MakeNode(*field.type, (*it)->type(), std::move(name)));
    node.child = static_cast<int>(it - columns.begin());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<Node> MakeNode(const AvroSchema& schema, const std::shared_ptr<arrow::DataType>& type,
                      std::string path) {
  Node node;
  node.optional = ViewAsOptional(schema);
  node.writer = node.optional.type;
  if (node.writer == nullptr || !Matches(*node.writer, *type)) {
    return UnsupportedError("column \"{}\" of type {} cannot be written as avro {:.200}", path,
                            type->ToString(), FormatAvroSchema(schema));
  }
  node.type = type;
  node.path = std::move(path);
  if (node.writer->kind == AvroKind::kRecord) {
    ARROW_ASSIGN_OR_RAISE(node.children, MakeFields(*node.writer, type->fields(), node.path));
  } else if (node.writer->kind == AvroKind::kArray) {
    ARROW_ASSIGN_OR_RAISE(Node item, MakeNode(*node.writer->types[0], type->field(0)->type(),
                                              node.path + ".element"));
    node.children.push_back(std::move(item));
  } else if (node.writer->kind == AvroKind::kMap) {
    const auto& map = static_cast<const arrow::MapType&>(*type);
    ARROW_ASSIGN_OR_RAISE(Node key, MakeNode(AvroMapKey(), map.key_type(), node.path + ".key"));
    ARROW_ASSIGN_OR_RAISE(Node value,
                          MakeNode(*node.writer->types[0], map.item_type(), node.path + ".value"));
    value.child = 1;
    node.children.push_back(std::move(key));
    node.children.push_back(std::move(value));
  }
  return node;
}

void Bind(const arrow::ArrayData& data, Node* node) {
  const auto buffer = [&](size_t i) -> const uint8_t* {
    return i < data.buffers.size() && data.buffers[i] != nullptr ? data.buffers[i]->data()
                                                                 : nullptr;
  };
  node->data = &data;
  node->validity = data.type->id() == arrow::Type::NA ? nullptr : buffer(0);
  node->values = buffer(1);
  node->content = buffer(2);
  // The entries of a map are a struct that has no node of its own.
  const arrow::ArrayData& parent =
      node->writer->kind == AvroKind::kMap ? *data.child_data[0] : data;
  for (Node& child : node->children) {
    Bind(*parent.child_data[static_cast<size_t>(child.child)], &child);
  }
}

class NodeEncoder {
 public:
  explicit NodeEncoder(ByteWriter* out) : out_(out) {}

  // `row` counts from the start of the array, before its offset.
  Status Encode(const Node& node, int64_t row) {
    const int64_t index = row + node.data->offset;
    const bool valid = node.type->id() != arrow::Type::NA &&
                       (node.validity == nullptr || arrow::bit_util::GetBit(node.validity, index));
    const AvroOptional& optional = node.optional;
    if (optional.is_union) out_->PutU8(valid ? optional.value_byte : optional.null_byte);
    if (valid) return EncodeValue(node, index);
    if (optional.null_byte != optional.value_byte || node.writer->kind == AvroKind::kNull) {
      return Status::OK();
    }
    return InvalidError("column \"{}\" is null in row {}, and its avro type {} is not nullable",
                        node.path, row, AvroKindName(node.writer->kind));
  }

 private:
  Status EncodeValue(const Node& node, int64_t index) {
    switch (node.writer->kind) {
      case AvroKind::kNull:
      case AvroKind::kUnion:
        break;
      case AvroKind::kBoolean:
        out_->PutU8(arrow::bit_util::GetBit(node.values, index) ? 1 : 0);
        break;
      case AvroKind::kInt:
      case AvroKind::kLong:
        out_->PutZigZag(Integer(node, index));
        break;
      case AvroKind::kFloat:
        out_->PutU32Le(node.Value<uint32_t>(index));
        break;
      case AvroKind::kDouble:
        out_->PutU64Le(node.Value<uint64_t>(index));
        break;
      case AvroKind::kString:
        out_->PutLengthPrefixed(Text(node, index));
        break;
      case AvroKind::kBytes:
        if (node.writer->logical == AvroLogical::kDecimal) return EncodeDecimal(node, index);
        out_->PutLengthPrefixed(Text(node, index));
        break;
      case AvroKind::kFixed:
        return EncodeFixed(node, index);
      case AvroKind::kEnum:
        return EncodeEnum(node, index);
      case AvroKind::kRecord:
        for (const Node& child : node.children) ARROW_RETURN_NOT_OK(Encode(child, index));
        break;
      case AvroKind::kArray:
      case AvroKind::kMap:
        return EncodeItems(node, index);
    }
    return Status::OK();
  }

  static int64_t Integer(const Node& node, int64_t index) {
    switch (node.type->byte_width()) {
      case 1:
        return node.Value<int8_t>(index);
      case 2:
        return node.Value<int16_t>(index);
      case 4:
        return node.Value<int32_t>(index);
      default:
        return node.Value<int64_t>(index);
    }
  }

  // The range of items or bytes that an offset buffer gives to an index.
  static std::pair<int64_t, int64_t> Range(const Node& node, int64_t index) {
    const arrow::Type::type id = node.type->id();
    if (id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY ||
        id == arrow::Type::LARGE_LIST) {
      return {node.Value<int64_t>(index), node.Value<int64_t>(index + 1)};
    }
    return {node.Value<int32_t>(index), node.Value<int32_t>(index + 1)};
  }

  static std::string_view Text(const Node& node, int64_t index) {
    const auto [begin, end] = Range(node, index);
    if (begin == end) return {};
    return {reinterpret_cast<const char*>(node.content) + begin, static_cast<size_t>(end - begin)};
  }

  Status EncodeEnum(const Node& node, int64_t index) {
    const std::string_view text = Text(node, index);
    const auto& symbols = node.writer->symbols;
    const auto it = std::ranges::find(symbols, text);
    if (it == symbols.end()) {
      return InvalidError("column \"{}\": \"{:.40}\" is no symbol of enum \"{}\"", node.path, text,
                          node.writer->full_name);
    }
    out_->PutZigZag(it - symbols.begin());
    return Status::OK();
  }

  Status EncodeFixed(const Node& node, int64_t index) {
    if (node.writer->logical == AvroLogical::kDecimal) return EncodeDecimal(node, index);
    if (node.writer->logical == AvroLogical::kVector) return EncodeVector(node, index);
    out_->PutBytes({reinterpret_cast<const char*>(node.values) + index * node.writer->size,
                    static_cast<size_t>(node.writer->size)});
    return Status::OK();
  }

  Status EncodeVector(const Node& node, int64_t index) {
    const arrow::ArrayData& items = *node.data->child_data[0];
    const int64_t dimension = node.writer->dimension;
    const int64_t first = items.offset + index * dimension;
    if (items.buffers[0] != nullptr) {
      for (int64_t i = first; i < first + dimension; ++i) {
        if (arrow::bit_util::GetBit(items.buffers[0]->data(), i)) continue;
        return InvalidError("column \"{}\": a vector has a null element", node.path);
      }
    }
    const int64_t width = items.type->byte_width();
    out_->PutBytes({reinterpret_cast<const char*>(items.buffers[1]->data()) + first * width,
                    static_cast<size_t>(dimension * width)});
    return Status::OK();
  }

  // Big-endian two's complement: all bytes of a fixed, the fewest for bytes.
  Status EncodeDecimal(const Node& node, int64_t index) {
    const auto width = static_cast<size_t>(node.type->byte_width());
    const char* const little =
        reinterpret_cast<const char*>(node.values) + index * static_cast<int64_t>(width);
    std::string big(little, width);
    std::ranges::reverse(big);
    const char sign = (big[0] & 0x80) != 0 ? '\xFF' : '\0';
    size_t spare = 0;  // leading bytes that only repeat the sign
    while (spare + 1 < width && big[spare] == sign && ((big[spare + 1] ^ sign) & 0x80) == 0) {
      ++spare;
    }
    const std::string_view digits = std::string_view(big).substr(spare);
    if (node.writer->kind == AvroKind::kBytes) {
      out_->PutLengthPrefixed(digits);
      return Status::OK();
    }
    const auto size = static_cast<size_t>(node.writer->size);
    if (digits.size() > size) {
      return InvalidError("column \"{}\": a decimal needs {} bytes, its avro fixed has {}",
                          node.path, digits.size(), size);
    }
    for (size_t i = digits.size(); i < size; ++i) out_->PutU8(static_cast<uint8_t>(sign));
    out_->PutBytes(digits);
    return Status::OK();
  }

  Status EncodeItems(const Node& node, int64_t index) {
    const auto [begin, end] = Range(node, index);
    const bool is_map = node.writer->kind == AvroKind::kMap;
    // Keys and values lie in the entries, which may have an offset of their own.
    const int64_t shift = is_map ? node.data->child_data[0]->offset : 0;
    if (begin != end) out_->PutZigZag(end - begin);
    for (int64_t i = begin; i < end; ++i) {
      for (const Node& child : node.children) ARROW_RETURN_NOT_OK(Encode(child, i + shift));
    }
    out_->PutZigZag(0);
    return Status::OK();
  }

  ByteWriter* out_;
};

class BatchEncoder final : public AvroEncoder {
 public:
  BatchEncoder(AvroSchemaPtr writer, std::vector<Node> fields)
      : writer_(std::move(writer)), fields_(std::move(fields)) {}

  Status SetBatch(const arrow::RecordBatch& batch) override {
    num_rows_ = 0;
    for (Node& field : fields_) {
      if (field.child >= batch.num_columns() ||
          !batch.schema()->field(field.child)->type()->Equals(*field.type)) {
        return InvalidError("the batch has no column {} \"{}\" of type {}", field.child, field.path,
                            field.type->ToString());
      }
      Bind(*batch.column_data(field.child), &field);
    }
    num_rows_ = batch.num_rows();
    return Status::OK();
  }

  Status Encode(int64_t row, ByteWriter* out) const override {
    if (row < 0 || row >= num_rows_) {
      return InvalidError("row {} of a batch of {}", row, num_rows_);
    }
    NodeEncoder encoder(out);
    for (const Node& field : fields_) ARROW_RETURN_NOT_OK(encoder.Encode(field, row));
    return Status::OK();
  }

 private:
  AvroSchemaPtr writer_;  // the nodes refer to it
  std::vector<Node> fields_;
  int64_t num_rows_ = 0;
};

}  // namespace

Result<std::unique_ptr<AvroEncoder>> AvroEncoder::Make(AvroSchemaPtr writer,
                                                       std::shared_ptr<arrow::Schema> schema) {
  if (writer->kind != AvroKind::kRecord) {
    return UnsupportedError("avro schema of rows is a {}; must be a record",
                            AvroKindName(writer->kind));
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<Node> fields, MakeFields(*writer, schema->fields(), ""));
  return std::make_unique<BatchEncoder>(std::move(writer), std::move(fields));
}

}  // namespace firth
