// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_plan.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "firth/format/avro/avro_rewrite.h"
#include "firth/format/avro/avro_union.h"

namespace firth {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

std::optional<AvroOp> IntOp(const AvroSchema& writer, const arrow::DataType& wanted) {
  const bool plain = writer.logical == AvroLogical::kNone;
  switch (wanted.id()) {
    case arrow::Type::INT32:
      return AvroOp::kInt32;
    case arrow::Type::INT64:
      return AvroOp::kInt32ToInt64;
    case arrow::Type::FLOAT:
      if (plain) return AvroOp::kInt32ToFloat;
      return std::nullopt;
    case arrow::Type::DOUBLE:
      if (plain) return AvroOp::kInt32ToDouble;
      return std::nullopt;
    case arrow::Type::DATE32:
      if (plain || writer.logical == AvroLogical::kDate) return AvroOp::kInt32;
      return std::nullopt;
    case arrow::Type::TIME32:
      if (writer.logical == AvroLogical::kTimeMillis) return AvroOp::kInt32;
      return std::nullopt;
    case arrow::Type::TIME64:
      if (writer.logical == AvroLogical::kTimeMillis) return AvroOp::kMillisToMicros;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<AvroOp> LongOp(const AvroSchema& writer, const arrow::DataType& wanted) {
  const bool plain = writer.logical == AvroLogical::kNone;
  switch (wanted.id()) {
    case arrow::Type::INT64:
      return AvroOp::kInt64;
    case arrow::Type::FLOAT:
      if (plain) return AvroOp::kInt64ToFloat;
      return std::nullopt;
    case arrow::Type::DOUBLE:
      if (plain) return AvroOp::kInt64ToDouble;
      return std::nullopt;
    case arrow::Type::TIMESTAMP: {
      const auto unit = static_cast<const arrow::TimestampType&>(wanted).unit();
      const bool millis = unit == arrow::TimeUnit::MILLI;
      if (!millis && unit != arrow::TimeUnit::MICRO) return std::nullopt;
      if (plain) return AvroOp::kInt64;
      if (IsAvroMillis(writer.logical)) return millis ? AvroOp::kInt64 : AvroOp::kMillisToMicros;
      if (IsAvroMicros(writer.logical)) return millis ? AvroOp::kMicrosToMillis : AvroOp::kInt64;
      return std::nullopt;
    }
    case arrow::Type::TIME64:
      if (writer.logical == AvroLogical::kTimeMicros) return AvroOp::kInt64;
      return std::nullopt;
    case arrow::Type::TIME32:
      if (writer.logical == AvroLogical::kTimeMicros) return AvroOp::kTimeMicrosToMillis;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Whether a decimal of the writer fits the column digit for digit.
bool SameDecimal(const AvroSchema& writer, const arrow::DataType& wanted) {
  if (writer.logical != AvroLogical::kDecimal || !arrow::is_decimal(wanted.id())) return false;
  const auto& type = static_cast<const arrow::DecimalType&>(wanted);
  return type.scale() == writer.scale && type.precision() >= writer.precision;
}

// VECTOR(D) to a list of its own element type; a plain fixed may hold any.
bool IsVectorOf(const AvroSchema& writer, const arrow::DataType& wanted) {
  const auto& list = static_cast<const arrow::FixedSizeListType&>(wanted);
  const arrow::Type::type item = list.value_type()->id();
  if (!arrow::is_primitive(item) || item == arrow::Type::BOOL) return false;
  if (int64_t{list.list_size()} * list.value_type()->byte_width() != writer.size) return false;
  if (writer.logical == AvroLogical::kNone) return true;
  if (writer.logical != AvroLogical::kVector) return false;
  if (writer.element_type == "FLOAT") return item == arrow::Type::FLOAT;
  if (writer.element_type == "DOUBLE") return item == arrow::Type::DOUBLE;
  return item == arrow::Type::INT8;
}

std::optional<AvroOp> FixedOp(const AvroSchema& writer, const arrow::DataType& wanted) {
  switch (wanted.id()) {
    case arrow::Type::FIXED_SIZE_BINARY:
      if (wanted.byte_width() == writer.size) return AvroOp::kFixed;
      return std::nullopt;
    case arrow::Type::FIXED_SIZE_LIST:
      if (IsVectorOf(writer, wanted)) return AvroOp::kFixed;
      return std::nullopt;
    default:
      if (!SameDecimal(writer, wanted)) return std::nullopt;
      if (writer.size <= 8 && wanted.id() == arrow::Type::DECIMAL128) return AvroOp::kDecimal64;
      return AvroOp::kDecimal;
  }
}

// The step that reads a primitive of the writer straight into the column, if there is one.
std::optional<AvroOp> PrimitiveOp(const AvroSchema& writer, const arrow::DataType& wanted) {
  const arrow::Type::type id = wanted.id();
  const auto when = [](bool condition, AvroOp op) {
    return condition ? std::optional<AvroOp>(op) : std::nullopt;
  };
  switch (writer.kind) {
    case AvroKind::kNull:
      return AvroOp::kNull;
    case AvroKind::kBoolean:
      return when(id == arrow::Type::BOOL, AvroOp::kBoolean);
    case AvroKind::kInt:
      return IntOp(writer, wanted);
    case AvroKind::kLong:
      return LongOp(writer, wanted);
    case AvroKind::kFloat:
      if (id == arrow::Type::DOUBLE) return AvroOp::kFloatToDouble;
      return when(id == arrow::Type::FLOAT, AvroOp::kFixed);
    case AvroKind::kDouble:
      return when(id == arrow::Type::DOUBLE, AvroOp::kFixed);
    case AvroKind::kBytes:
      if (SameDecimal(writer, wanted)) return AvroOp::kDecimalBytes;
      if (id == arrow::Type::BINARY) return AvroOp::kBytes;
      return when(id == arrow::Type::STRING && writer.logical == AvroLogical::kNone,
                  AvroOp::kBytes);
    case AvroKind::kString:
      return when(id == arrow::Type::STRING || id == arrow::Type::BINARY, AvroOp::kBytes);
    case AvroKind::kFixed:
      return FixedOp(writer, wanted);
    case AvroKind::kEnum:
      return when(id == arrow::Type::STRING, AvroOp::kEnum);
    default:
      return std::nullopt;
  }
}

int32_t FixedWidth(const AvroSchema& writer) {
  switch (writer.kind) {
    case AvroKind::kBoolean:
      return 1;
    case AvroKind::kFloat:
      return 4;
    case AvroKind::kDouble:
      return 8;
    default:
      return writer.size;
  }
}

bool IsFixedWidth(AvroKind kind) {
  return kind == AvroKind::kBoolean || kind == AvroKind::kFloat || kind == AvroKind::kDouble ||
         kind == AvroKind::kFixed;
}

int64_t MinBytes(const AvroSchema& writer, const AvroStep& step) {
  if (step.nullable) return 1;
  if (writer.kind == AvroKind::kNull) return 0;
  if (writer.kind == AvroKind::kRecord) return step.bodies[0].min_bytes;
  return IsFixedWidth(writer.kind) ? FixedWidth(writer) : 1;
}

int64_t PowerOfTen(int32_t exponent) {
  int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

class PlanMaker {
 public:
  explicit PlanMaker(arrow::MemoryPool* pool) : pool_(pool) {}

  // Fills the children of `rows`, a column of structs, from a record.
  Result<AvroProgram> Record(const AvroSchema& writer, AvroColumn* rows) {
    std::unordered_map<std::string_view, int> wanted;
    for (int i = 0; i < rows->type()->num_fields(); ++i) {
      wanted.emplace(rows->type()->field(i)->name(), i);
    }
    AvroProgram program;
    for (const AvroField& field : writer.fields) {
      const auto it = wanted.find(field.name);
      // A wanted null needs no bytes.
      if (it == wanted.end() || rows->type()->field(it->second)->type()->id() == arrow::Type::NA) {
        Skip(*field.type, &program);
        continue;
      }
      const std::string path = rows->path().empty() ? field.name : rows->path() + "." + field.name;
      ARROW_ASSIGN_OR_RAISE(
          auto child, Value(*field.type, rows->type()->field(it->second)->type(), path, &program));
      rows->SetChild(static_cast<size_t>(it->second), std::move(child));
    }
    return program;
  }

 private:
  static Status Unsupported(const AvroSchema& writer, const TypePtr& wanted,
                            const std::string& path) {
    if (writer.logical == AvroLogical::kVariant) {
      return UnsupportedError("column \"{}\" is a VARIANT, which firth does not read", path);
    }
    return UnsupportedError("column \"{}\" is avro {:.200} and cannot become {}", path,
                            FormatAvroSchema(writer), wanted->ToString());
  }

  // A step for `schema`, whose null branch is taken off; `type` gets what remains, or nullptr.
  static AvroStep NullableStep(const AvroSchema& schema, const AvroSchema** type) {
    const AvroOptional view = ViewAsOptional(schema);
    AvroStep step;
    *type = view.type;
    step.nullable = view.type != nullptr && view.is_union;
    step.null_byte = view.null_byte;
    step.value_byte = view.value_byte;
    return step;
  }

  static void Add(const AvroSchema& writer, AvroStep step, AvroProgram* program) {
    program->min_bytes += MinBytes(writer, step);
    program->steps.push_back(std::move(step));
  }

  Result<std::unique_ptr<AvroColumn>> Value(const AvroSchema& schema, const TypePtr& wanted,
                                            const std::string& path, AvroProgram* program) {
    const AvroSchema* writer = nullptr;
    AvroStep step = NullableStep(schema, &writer);
    if (writer == nullptr) return Unsupported(schema, wanted, path);
    ARROW_ASSIGN_OR_RAISE(auto column, AvroColumn::Make(wanted, path, pool_));
    step.column = column.get();
    step.writer = writer;
    const std::optional<AvroOp> op = PrimitiveOp(*writer, *wanted);
    if (op.has_value()) {
      step.op = *op;
      step.size = FixedWidth(*writer);
      if (*op == AvroOp::kDecimal64) {
        const int32_t digits = static_cast<const arrow::DecimalType&>(*wanted).precision();
        step.limit = digits > 18 ? std::numeric_limits<int64_t>::max() : PowerOfTen(digits);
      }
    } else if (AvroRewriteAllowed(*writer, *wanted)) {
      step.op = AvroOp::kRewrite;
    } else {
      ARROW_RETURN_NOT_OK(Nested(*writer, wanted, path, &step));
    }
    Add(*writer, std::move(step), program);
    return column;
  }

  Status Nested(const AvroSchema& writer, const TypePtr& wanted, const std::string& path,
                AvroStep* step) {
    AvroProgram body;
    if (writer.kind == AvroKind::kRecord && wanted->id() == arrow::Type::STRUCT &&
        writer.logical != AvroLogical::kVariant) {
      step->op = AvroOp::kRecord;
      ARROW_ASSIGN_OR_RAISE(body, Record(writer, step->column));
    } else if (writer.kind == AvroKind::kArray && wanted->id() == arrow::Type::LIST) {
      step->op = AvroOp::kList;
      ARROW_ASSIGN_OR_RAISE(
          auto items, Value(*writer.types[0], wanted->field(0)->type(), path + ".element", &body));
      step->column->SetChild(0, std::move(items));
    } else if (writer.kind == AvroKind::kMap && wanted->id() == arrow::Type::MAP) {
      step->op = AvroOp::kList;
      ARROW_ASSIGN_OR_RAISE(auto entries, Entries(writer, wanted, path, &body));
      step->column->SetChild(0, std::move(entries));
    } else {
      return Unsupported(writer, wanted, path);
    }
    step->bodies.push_back(std::move(body));
    return Status::OK();
  }

  // A map is a list of structs of key and value.
  Result<std::unique_ptr<AvroColumn>> Entries(const AvroSchema& map, const TypePtr& wanted,
                                              const std::string& path, AvroProgram* program) {
    const auto& type = static_cast<const arrow::MapType&>(*wanted);
    if (type.key_type()->id() != arrow::Type::STRING) return Unsupported(map, wanted, path);
    ARROW_ASSIGN_OR_RAISE(auto entries, AvroColumn::Make(type.value_type(), path, pool_));
    AvroProgram body;
    ARROW_ASSIGN_OR_RAISE(auto keys, Value(AvroMapKey(), type.key_type(), path + ".key", &body));
    ARROW_ASSIGN_OR_RAISE(auto values,
                          Value(*map.types[0], type.item_type(), path + ".value", &body));
    entries->SetChild(0, std::move(keys));
    entries->SetChild(1, std::move(values));
    AvroStep step;
    step.op = AvroOp::kRecord;
    step.column = entries.get();
    program->min_bytes += body.min_bytes;
    step.bodies.push_back(std::move(body));
    program->steps.push_back(std::move(step));
    return entries;
  }

  void Skip(const AvroSchema& schema, AvroProgram* program) {
    const AvroSchema* writer = nullptr;
    AvroStep step = NullableStep(schema, &writer);
    if (writer == nullptr) {
      step.op = AvroOp::kSkipUnion;
      for (const AvroSchemaPtr& branch : schema.types) {
        Skip(*branch, &step.bodies.emplace_back());
      }
      return Add(schema, std::move(step), program);
    }
    if (writer->kind == AvroKind::kRecord) {
      step.op = AvroOp::kSkipRecord;
      AvroProgram& body = step.bodies.emplace_back();
      for (const AvroField& field : writer->fields) Skip(*field.type, &body);
    } else if (writer->kind == AvroKind::kArray || writer->kind == AvroKind::kMap) {
      step.op = AvroOp::kSkipList;
      AvroProgram& body = step.bodies.emplace_back();
      if (writer->kind == AvroKind::kMap) {
        AvroStep key;
        key.op = AvroOp::kSkipBytes;
        AddSkip(std::move(key), 1, &body);
      }
      Skip(*writer->types[0], &body);
    } else if (writer->kind == AvroKind::kBytes || writer->kind == AvroKind::kString) {
      step.op = AvroOp::kSkipBytes;
    } else if (writer->kind == AvroKind::kNull || IsFixedWidth(writer->kind)) {
      step.op = AvroOp::kSkipFixed;
      step.size = writer->kind == AvroKind::kNull ? 0 : FixedWidth(*writer);
    } else {
      step.op = AvroOp::kSkipVarint;
    }
    const int64_t min_bytes = MinBytes(*writer, step);
    AddSkip(std::move(step), min_bytes, program);
  }

  // Adds a step, or counts it to an equal one before.
  static void AddSkip(AvroStep step, int64_t min_bytes, AvroProgram* program) {
    program->min_bytes += min_bytes;
    if (!program->steps.empty() && step.bodies.empty()) {
      AvroStep& last = program->steps.back();
      const bool same = last.op == step.op && last.nullable == step.nullable &&
                        last.null_byte == step.null_byte && last.value_byte == step.value_byte;
      if (same && step.op == AvroOp::kSkipFixed && !step.nullable &&
          last.size <= std::numeric_limits<int32_t>::max() - step.size) {
        last.size += step.size;
        return;
      }
      if (same && last.size == step.size) {
        last.count += 1;
        return;
      }
    }
    program->steps.push_back(std::move(step));
  }

  arrow::MemoryPool* pool_;
};

}  // namespace

Result<AvroPlan> MakeAvroPlan(const AvroSchema& writer, const arrow::FieldVector& wanted,
                              arrow::MemoryPool* pool) {
  if (writer.kind != AvroKind::kRecord) {
    return UnsupportedError("avro schema of rows is a {}; must be a record",
                            AvroKindName(writer.kind));
  }
  AvroPlan plan;
  ARROW_ASSIGN_OR_RAISE(plan.rows, AvroColumn::Make(arrow::struct_(wanted), "", pool));
  ARROW_ASSIGN_OR_RAISE(plan.program, PlanMaker(pool).Record(writer, plan.rows.get()));
  return plan;
}

}  // namespace firth
