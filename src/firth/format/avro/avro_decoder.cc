// SPDX-License-Identifier: Apache-2.0
// Runs a plan over records. Every handler takes the position and returns the next one, or nullptr
// after Fail; what remains is checked once a field, before its bytes are touched.
#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <limits>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/common/java_text.h"
#include "firth/format/avro/avro_codec.h"
#include "firth/format/avro/avro_plan.h"
#include "firth/format/avro/avro_rewrite.h"
#include "firth/format/avro/avro_varint.h"

namespace firth {
namespace {

using Bytes = const uint8_t*;

// Items of no bytes (empty records, nulls) that one record may hold.
constexpr int64_t kMaxEmptyItems = 1 << 10;

class PlannedDecoder final : public AvroDecoder {
 public:
  PlannedDecoder(AvroSchemaPtr writer, std::shared_ptr<arrow::Schema> wanted, AvroPlan plan)
      : writer_(std::move(writer)), wanted_(std::move(wanted)), plan_(std::move(plan)) {}

  Status Append(std::string_view datum) override {
    begin_ = reinterpret_cast<Bytes>(datum.data() != nullptr ? datum.data() : "");
    end_ = begin_ + datum.size();
    empty_items_ = 0;
    const Bytes stop = Run(plan_.program, begin_);
    if (stop == nullptr) return std::move(status_);
    if (stop != end_) {
      return CorruptError("avro record of {} bytes ends at byte {}", datum.size(), stop - begin_);
    }
    return plan_.rows->AppendStruct() ? Status::OK() : plan_.rows->status();
  }

  int64_t num_rows() const override { return plan_.rows->length(); }

  Result<std::shared_ptr<arrow::RecordBatch>> Flush() override {
    ARROW_ASSIGN_OR_RAISE(const auto rows, plan_.rows->Finish());
    return arrow::RecordBatch::Make(wanted_, rows->length, rows->child_data);
  }

 private:
  // Where and in which column a record went wrong.
  [[gnu::cold]] Bytes Fail(const AvroStep& step, Bytes at, std::string_view problem) {
    const std::string where = step.column != nullptr
                                  ? fmt::format("column \"{}\"", step.column->path())
                                  : std::string("a field that is not read");
    status_ = CorruptError("{}: {} at byte {} of an avro record of {}", where, problem, at - begin_,
                           end_ - begin_);
    return nullptr;
  }
  [[gnu::cold]] Bytes Short(const AvroStep& step, Bytes at) {
    return Fail(step, at, "the bytes end inside the value");
  }
  [[gnu::cold]] Bytes Fail(Status status) {
    status_ = std::move(status);
    return nullptr;
  }
  Bytes Appended(const AvroStep& step, bool ok, Bytes next) {
    return ok ? next : Fail(step.column->status());
  }

  int64_t Remaining(Bytes p) const { return end_ - p; }

  // Reads the branch of [null, T]. *is_null says which; nullptr when it is neither.
  Bytes ReadBranch(const AvroStep& step, Bytes p, bool* is_null) {
    if (p == end_) return Short(step, p);
    *is_null = *p != step.value_byte;
    if (*is_null && *p != step.null_byte) return Fail(step, p, "no such branch of the union");
    return p + 1;
  }

  Bytes Run(const AvroProgram& program, Bytes p) {
    for (const AvroStep& step : program.steps) {
      p = step.op <= AvroOp::kSkipUnion ? Skip(step, p) : Read(step, p);
      if (p == nullptr) return nullptr;
    }
    return p;
  }

  Bytes Read(const AvroStep& step, Bytes p) {
    if (step.nullable) {
      bool is_null = false;
      p = ReadBranch(step, p, &is_null);
      if (p == nullptr) return nullptr;
      if (is_null) return Appended(step, step.column->AppendNull(), p);
    }
    switch (step.op) {
      case AvroOp::kInt32:
      case AvroOp::kInt32ToInt64:
      case AvroOp::kInt32ToFloat:
      case AvroOp::kInt32ToDouble:
        return ReadInt(step, p);
      case AvroOp::kInt64:
      case AvroOp::kInt64ToFloat:
      case AvroOp::kInt64ToDouble:
      case AvroOp::kMillisToMicros:
      case AvroOp::kMicrosToMillis:
      case AvroOp::kTimeMicrosToMillis:
        return ReadLong(step, p);
      case AvroOp::kBytes:
        return ReadBytes(step, p);
      case AvroOp::kRecord:
        p = Run(step.bodies[0], p);
        return p == nullptr ? nullptr : Appended(step, step.column->AppendStruct(), p);
      case AvroOp::kList:
        return ReadList(step, p);
      case AvroOp::kRewrite: {
        ByteReader in(std::string_view(reinterpret_cast<const char*>(p), Remaining(p)));
        Status status = AvroRewrite(*step.writer, in, step.column);
        return status.ok() ? p + in.offset() : Fail(std::move(status));
      }
      case AvroOp::kNull:
        return Appended(step, step.column->AppendNull(), p);
      case AvroOp::kEnum:
        return ReadEnum(step, p);
      case AvroOp::kDecimalBytes: {
        uint64_t size = 0;
        const Bytes bytes = ReadLength(step, p, &size);
        return bytes == nullptr ? nullptr : AppendDecimal(step, bytes, size);
      }
      default:
        return ReadFixed(step, p);
    }
  }

  Bytes ReadInt(const AvroStep& step, Bytes p) {
    uint64_t raw = 0;
    const Bytes next = ReadAvroVarint(p, end_, &raw);
    if (next == nullptr) return Fail(step, p, "an unended int");
    const int64_t value = FromZigZag(raw);
    const auto narrow = static_cast<int32_t>(value);
    if (value != narrow) return Fail(step, p, "an int of more than 32 bits");
    switch (step.op) {
      case AvroOp::kInt32:
        return Appended(step, step.column->Append(narrow), next);
      case AvroOp::kInt32ToInt64:
        return Appended(step, step.column->Append(value), next);
      case AvroOp::kInt32ToFloat:
        return Appended(step, step.column->Append(static_cast<float>(narrow)), next);
      default:
        return Appended(step, step.column->Append(static_cast<double>(narrow)), next);
    }
  }

  Bytes ReadLong(const AvroStep& step, Bytes p) {
    uint64_t raw = 0;
    const Bytes next = ReadAvroVarint(p, end_, &raw);
    if (next == nullptr) return Fail(step, p, "an unended long");
    int64_t value = FromZigZag(raw);
    if (step.op == AvroOp::kInt64) return Appended(step, step.column->Append(value), next);
    switch (step.op) {
      case AvroOp::kInt64ToFloat:
        return Appended(step, step.column->Append(static_cast<float>(value)), next);
      case AvroOp::kInt64ToDouble:
        return Appended(step, step.column->Append(static_cast<double>(value)), next);
      case AvroOp::kMillisToMicros:
        if (__builtin_mul_overflow(value, 1000, &value)) {
          return Fail(step, p, "an instant beyond 64 bits of microseconds");
        }
        return Appended(step, step.column->Append(value), next);
      default:
        break;
    }
    value = value / 1000 - (value % 1000 < 0 ? 1 : 0);
    if (step.op == AvroOp::kMicrosToMillis) {
      return Appended(step, step.column->Append(value), next);
    }
    if (value != static_cast<int32_t>(value)) return Fail(step, p, "a time beyond a day");
    return Appended(step, step.column->Append(static_cast<int32_t>(value)), next);
  }

  Bytes ReadEnum(const AvroStep& step, Bytes p) {
    uint64_t raw = 0;
    const Bytes next = ReadAvroVarint(p, end_, &raw);
    const auto index = static_cast<uint64_t>(FromZigZag(raw));
    if (next == nullptr || index >= step.writer->symbols.size()) {
      return Fail(step, p, "no such symbol of the enum");
    }
    return Appended(step, step.column->AppendText(step.writer->symbols[index]), next);
  }

  // Reads a length that the remaining bytes hold.
  Bytes ReadLength(const AvroStep& step, Bytes p, uint64_t* size) {
    uint64_t raw = 0;
    const Bytes bytes = ReadAvroVarint(p, end_, &raw);
    if (bytes == nullptr) return Fail(step, p, "an unended length");
    *size = static_cast<uint64_t>(FromZigZag(raw));  // a negative one becomes too large
    if (*size > static_cast<uint64_t>(Remaining(bytes))) return Short(step, p);
    return bytes;
  }

  Bytes ReadBytes(const AvroStep& step, Bytes p) {
    uint64_t size = 0;
    const Bytes bytes = ReadLength(step, p, &size);
    if (bytes == nullptr) return nullptr;
    const bool ok = step.column->AppendBytes(bytes, size, static_cast<size_t>(Remaining(bytes)));
    return Appended(step, ok, bytes + size);
  }

  Bytes ReadFixed(const AvroStep& step, Bytes p) {
    if (Remaining(p) < step.size) return Short(step, p);
    const Bytes next = p + step.size;
    switch (step.op) {
      case AvroOp::kBoolean:
        if (*p > 1) return Fail(step, p, "a boolean other than 0 and 1");
        return Appended(step, step.column->Append(*p), next);
      case AvroOp::kFloatToDouble:
        return Appended(step, step.column->Append(WidenAsJavaText(LoadLittleEndian<float>(p))),
                        next);
      case AvroOp::kDecimal64:
        return ReadDecimal64(step, p);
      case AvroOp::kDecimal:
        return AppendDecimal(step, p, static_cast<size_t>(step.size));
      default:
        if (step.size == 8) {
          return Appended(step, step.column->Append(LoadLittleEndian<uint64_t>(p)), next);
        }
        return Appended(step, step.column->AppendFixed(p), next);
    }
  }

  Bytes ReadDecimal64(const AvroStep& step, Bytes p) {
    uint64_t word = 0;
    if (Remaining(p) >= 8) {
      std::memcpy(&word, p, 8);
    } else {
      std::memcpy(&word, p, static_cast<size_t>(step.size));
    }
    const int64_t value = static_cast<int64_t>(__builtin_bswap64(word)) >> (64 - 8 * step.size);
    if (value >= step.limit || value <= -step.limit) {
      return Fail(step, p, "a decimal of too many digits");
    }
    const int64_t words[2] = {value, value >> 63};
    return Appended(step, step.column->AppendFixed(words), p + step.size);
  }

  Bytes AppendDecimal(const AvroStep& step, Bytes bytes, size_t size) {
    Status status = AppendAvroDecimal({reinterpret_cast<const char*>(bytes), size}, step.column);
    return status.ok() ? bytes + size : Fail(std::move(status));
  }

  // Reads the head of a block of items: 0 items end the list. *block_bytes is -1 if not given.
  Bytes ReadBlock(const AvroStep& step, Bytes p, int64_t* count, int64_t* block_bytes) {
    uint64_t raw = 0;
    Bytes next = ReadAvroVarint(p, end_, &raw);
    if (next == nullptr) return Fail(step, p, "an unended count");
    *count = FromZigZag(raw);
    *block_bytes = -1;
    if (*count < 0) {
      next = ReadAvroVarint(next, end_, &raw);
      if (next == nullptr) return Fail(step, p, "an unended block size");
      *block_bytes = FromZigZag(raw);
      if (*block_bytes < 0 || *block_bytes > Remaining(next)) return Short(step, p);
      if (*count == std::numeric_limits<int64_t>::min()) return Fail(step, p, "a count too large");
      *count = -*count;
    }
    // Items cost bytes; those that do not are counted, so that few bytes never make many items.
    const int64_t item_bytes = step.bodies[0].min_bytes;
    if (item_bytes > 0) {
      if (*count > Remaining(next) / item_bytes) return Short(step, p);
    } else if (*count > kMaxEmptyItems || (empty_items_ += *count) > kMaxEmptyItems) {
      return Fail(step, p, "too many empty items");
    }
    return next;
  }

  Bytes ReadList(const AvroStep& step, Bytes p) {
    for (;;) {
      int64_t count = 0, block_bytes = 0;
      p = ReadBlock(step, p, &count, &block_bytes);
      if (p == nullptr) return nullptr;
      if (count == 0) return Appended(step, step.column->AppendList(), p);
      const Bytes begin = p;
      for (; count > 0; --count) {
        p = Run(step.bodies[0], p);
        if (p == nullptr) return nullptr;
      }
      // A reader that skips the list relies on the size.
      if (block_bytes >= 0 && p != begin + block_bytes) {
        return Fail(step, begin, "a block of another size than it says");
      }
    }
  }

  Bytes Skip(const AvroStep& step, Bytes p) {
    if (step.op == AvroOp::kSkipUnion) return SkipUnion(step, p);
    for (int32_t i = 0; i < step.count; ++i) {
      if (step.nullable) {
        bool is_null = false;
        p = ReadBranch(step, p, &is_null);
        if (p == nullptr) return nullptr;
        if (is_null) continue;
      }
      p = SkipValue(step, p);
      if (p == nullptr) return nullptr;
    }
    return p;
  }

  Bytes SkipValue(const AvroStep& step, Bytes p) {
    switch (step.op) {
      case AvroOp::kSkipVarint: {
        const Bytes next = SkipAvroVarint(p, end_);
        return next != nullptr ? next : Fail(step, p, "an unended number");
      }
      case AvroOp::kSkipFixed:
        return Remaining(p) >= step.size ? p + step.size : Short(step, p);
      case AvroOp::kSkipBytes: {
        uint64_t size = 0;
        const Bytes bytes = ReadLength(step, p, &size);
        return bytes == nullptr ? nullptr : bytes + size;
      }
      case AvroOp::kSkipRecord:
        return Run(step.bodies[0], p);
      default:
        return SkipList(step, p);
    }
  }

  Bytes SkipList(const AvroStep& step, Bytes p) {
    for (;;) {
      int64_t count = 0, block_bytes = 0;
      p = ReadBlock(step, p, &count, &block_bytes);
      if (p == nullptr || count == 0) return p;
      if (block_bytes >= 0) {
        p += block_bytes;
        continue;
      }
      for (; count > 0; --count) {
        p = Run(step.bodies[0], p);
        if (p == nullptr) return nullptr;
      }
    }
  }

  Bytes SkipUnion(const AvroStep& step, Bytes p) {
    uint64_t raw = 0;
    const Bytes next = ReadAvroVarint(p, end_, &raw);
    const auto index = static_cast<uint64_t>(FromZigZag(raw));
    if (next == nullptr || index >= step.bodies.size()) {
      return Fail(step, p, "no such branch of the union");
    }
    return Run(step.bodies[index], next);
  }

  AvroSchemaPtr writer_;  // the plan refers to it
  std::shared_ptr<arrow::Schema> wanted_;
  AvroPlan plan_;
  Bytes begin_ = nullptr, end_ = nullptr;  // of the record at hand
  int64_t empty_items_ = 0;
  Status status_;
};

}  // namespace

Result<std::unique_ptr<AvroDecoder>> AvroDecoder::Make(AvroSchemaPtr writer,
                                                       std::shared_ptr<arrow::Schema> wanted,
                                                       arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(AvroPlan plan, MakeAvroPlan(*writer, wanted->fields(), pool));
  return std::make_unique<PlannedDecoder>(std::move(writer), std::move(wanted), std::move(plan));
}

}  // namespace firth
