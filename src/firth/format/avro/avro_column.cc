// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_column.h"

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace firth {
namespace {

constexpr int64_t kFirstSlots = 1024;
constexpr int64_t kFirstBytes = 64 << 10;
constexpr int64_t kDataSlack = 16;  // AppendBytes copies short values as blocks of this size
constexpr int64_t kMaxOffset = std::numeric_limits<int32_t>::max();

// Packs bytes of 0 or 1 into bits, least significant first.
void PackBits(const uint8_t* bytes, int64_t count, uint8_t* bits) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes + i, 8);
    *bits++ = static_cast<uint8_t>((eight * 0x0102040810204080ULL) >> 56);
  }
  if (i == count) return;
  uint8_t last = 0;
  for (int bit = 0; i < count; ++i, ++bit) last |= static_cast<uint8_t>(bytes[i] << bit);
  *bits = last;
}

}  // namespace

Result<std::unique_ptr<AvroColumn>> AvroColumn::Make(std::shared_ptr<arrow::DataType> type,
                                                     std::string path, arrow::MemoryPool* pool) {
  std::unique_ptr<AvroColumn> column(new AvroColumn(std::move(type), std::move(path), pool));
  ARROW_RETURN_NOT_OK(column->Init());
  return column;
}

Status AvroColumn::Init() {
  switch (type_->id()) {
    case arrow::Type::BOOL:
      layout_ = Layout::kBool;
      width_ = 1;
      return Status::OK();
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
    case arrow::Type::FIXED_SIZE_BINARY:
      width_ = type_->byte_width();
      return Status::OK();
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListType&>(*type_);
      const arrow::Type::type item = list.value_type()->id();
      if (item != arrow::Type::FLOAT && item != arrow::Type::DOUBLE && item != arrow::Type::INT8) {
        break;
      }
      width_ = list.list_size() * list.value_type()->byte_width();
      return Status::OK();
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      layout_ = Layout::kBinary;
      return Status::OK();
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      layout_ = Layout::kList;
      children_.resize(1);
      return Status::OK();
    case arrow::Type::STRUCT:
      layout_ = Layout::kStruct;
      children_.resize(static_cast<size_t>(type_->num_fields()));
      return Status::OK();
    default:
      break;
  }
  return UnsupportedError("column \"{}\" of type {} cannot be read from avro", path_,
                          type_->ToString());
}

bool AvroColumn::AppendList() {
  if (length_ == capacity_ && !Grow()) return false;
  const int64_t items = children_[0]->length();
  if (items > kMaxOffset) {
    status_ = Error(ErrorCode::kResourceExhausted,
                    "column \"{}\" has more than {} items in one batch", path_, kMaxOffset);
    return false;
  }
  offsets_[++length_] = static_cast<int32_t>(items);
  return true;
}

bool AvroColumn::AppendNull() {
  if (length_ == capacity_ && !Grow()) return false;
  valid_[length_] = 0;
  ++null_count_;
  switch (layout_) {
    case Layout::kFixed:
    case Layout::kBool:
      std::memset(values_ + length_ * width_, 0, static_cast<size_t>(width_));
      break;
    case Layout::kBinary:
    case Layout::kList:
      offsets_[length_ + 1] = offsets_[length_];
      break;
    case Layout::kStruct:
      for (const auto& child : children_) {
        if (child == nullptr || child->AppendNull()) continue;
        status_ = child->status();
        return false;
      }
      break;
  }
  ++length_;
  return true;
}

bool AvroColumn::Grow() {
  const int64_t first =
      std::clamp<int64_t>(kFirstBytes / std::max<int32_t>(1, width_), 16, kFirstSlots);
  status_ = GrowTo(std::max({first, last_length_, 2 * capacity_}));
  return status_.ok();
}

Status AvroColumn::GrowTo(int64_t capacity) {
  ARROW_RETURN_NOT_OK(Resize(&valid_buffer_, capacity));
  valid_ = valid_buffer_->mutable_data();
  std::memset(valid_ + capacity_, 1, static_cast<size_t>(capacity - capacity_));
  if (layout_ == Layout::kFixed || layout_ == Layout::kBool) {
    ARROW_RETURN_NOT_OK(Resize(&values_buffer_, capacity * width_));
    values_ = values_buffer_->mutable_data();
  }
  if (layout_ == Layout::kBinary || layout_ == Layout::kList) {
    ARROW_RETURN_NOT_OK(
        Resize(&offsets_buffer_, (capacity + 1) * static_cast<int64_t>(sizeof(int32_t))));
    offsets_ = reinterpret_cast<int32_t*>(offsets_buffer_->mutable_data());
    offsets_[0] = 0;
  }
  // Even an empty value is copied as a block.
  if (layout_ == Layout::kBinary && data_ == nullptr && !GrowData(0)) return status_;
  capacity_ = capacity;
  return Status::OK();
}

bool AvroColumn::GrowData(size_t size) {
  const int64_t needed = data_size_ + static_cast<int64_t>(size);
  if (needed > kMaxOffset) {
    status_ = Error(ErrorCode::kResourceExhausted,
                    "column \"{}\" has more than {} bytes in one batch", path_, kMaxOffset);
    return false;
  }
  const int64_t capacity = std::max({kFirstBytes, last_data_size_, 2 * data_capacity_, needed});
  status_ = Resize(&data_buffer_, capacity + kDataSlack);
  if (!status_.ok()) return false;
  data_ = data_buffer_->mutable_data();
  data_capacity_ = capacity;
  return true;
}

Status AvroColumn::Resize(std::shared_ptr<arrow::ResizableBuffer>* buffer, int64_t size) {
  if (*buffer != nullptr) return (*buffer)->Resize(size, /*shrink_to_fit=*/false);
  ARROW_ASSIGN_OR_RAISE(*buffer, arrow::AllocateResizableBuffer(size, pool_));
  return Status::OK();
}

// All values in one go: they are valid when the whole is and none begins inside a character.
Status AvroColumn::CheckUtf8() const {
  arrow::util::InitializeUTF8();
  bool valid = arrow::util::ValidateUTF8(data_, data_size_);
  for (int64_t i = 1; valid && i < length_; ++i) {
    valid = offsets_[i] == data_size_ || (data_[offsets_[i]] & 0xC0) != 0x80;
  }
  if (valid) return Status::OK();
  return CorruptError("column \"{}\" holds text that is not UTF-8", path_);
}

Result<std::shared_ptr<arrow::Buffer>> AvroColumn::Pack(const uint8_t* bytes) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateBuffer((length_ + 7) / 8, pool_));
  PackBits(bytes, length_, bits->mutable_data());
  bits->ZeroPadding();
  return bits;
}

Status AvroColumn::FinishBuffers(arrow::ArrayData* out) {
  out->buffers = {nullptr};
  if (null_count_ > 0) {
    ARROW_ASSIGN_OR_RAISE(out->buffers[0], Pack(valid_));
  }
  switch (layout_) {
    case Layout::kFixed:
      ARROW_RETURN_NOT_OK(Resize(&values_buffer_, length_ * width_));
      values_buffer_->ZeroPadding();
      out->buffers.push_back(std::move(values_buffer_));
      break;
    case Layout::kBool: {
      ARROW_ASSIGN_OR_RAISE(auto bits, Pack(values_));
      out->buffers.push_back(std::move(bits));
      break;
    }
    case Layout::kBinary:
      if (type_->id() == arrow::Type::STRING) ARROW_RETURN_NOT_OK(CheckUtf8());
      [[fallthrough]];
    case Layout::kList:
      ARROW_RETURN_NOT_OK(
          Resize(&offsets_buffer_, (length_ + 1) * static_cast<int64_t>(sizeof(int32_t))));
      if (length_ == 0) std::memset(offsets_buffer_->mutable_data(), 0, sizeof(int32_t));
      out->buffers.push_back(std::move(offsets_buffer_));
      if (layout_ == Layout::kList) break;
      ARROW_RETURN_NOT_OK(Resize(&data_buffer_, data_size_));
      out->buffers.push_back(std::move(data_buffer_));
      break;
    case Layout::kStruct:
      break;
  }
  return Status::OK();
}

Status AvroColumn::FinishChildren(arrow::ArrayData* out) {
  for (size_t i = 0; i < children_.size(); ++i) {
    std::shared_ptr<arrow::ArrayData> data;
    if (children_[i] != nullptr) {
      ARROW_ASSIGN_OR_RAISE(data, children_[i]->Finish());
    } else {
      ARROW_ASSIGN_OR_RAISE(
          const auto nulls,
          arrow::MakeArrayOfNull(type_->field(static_cast<int>(i))->type(), length_, pool_));
      data = nulls->data();
    }
    out->child_data.push_back(std::move(data));
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::ArrayData>> AvroColumn::Finish() {
  auto out = std::make_shared<arrow::ArrayData>(type_, length_, null_count_);
  ARROW_RETURN_NOT_OK(FinishBuffers(out.get()));
  if (type_->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*type_);
    auto items = arrow::ArrayData::Make(list.value_type(), length_ * list.list_size(),
                                        {nullptr, std::move(out->buffers[1])}, /*null_count=*/0);
    out->buffers.pop_back();
    out->child_data.push_back(std::move(items));
  }
  ARROW_RETURN_NOT_OK(FinishChildren(out.get()));
  Restart();
  return out;
}

void AvroColumn::Restart() {
  last_length_ = length_;
  last_data_size_ = data_size_;
  values_buffer_ = valid_buffer_ = offsets_buffer_ = data_buffer_ = nullptr;
  values_ = valid_ = data_ = nullptr;
  offsets_ = nullptr;
  length_ = capacity_ = data_size_ = data_capacity_ = null_count_ = 0;
}

}  // namespace firth
