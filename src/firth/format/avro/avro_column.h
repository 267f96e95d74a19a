// SPDX-License-Identifier: Apache-2.0
// Arrow columns under construction, written without a call or a Status for each value.
#pragma once

#include <arrow/buffer.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// One column and its children. Every slot counts as valid until it is made null, so that a value
/// costs its own store only. The appending functions return false when memory or the 2 GiB of an
/// Arrow column run out; status() then says so and the column is unusable.
class AvroColumn {
 public:
  enum class Layout : uint8_t {
    kFixed,   // numbers, decimals, fixed bytes and fixed-size lists of numbers
    kBool,    // a byte each, packed by Finish
    kBinary,  // text and bytes
    kList,    // lists and maps: one child
    kStruct,  // children, those that nothing writes are nullptr
  };

  /// Children of a struct are left out until SetChild. `path` names the column in errors.
  /// Errors: kUnsupported for types outside docs/format/avro.md.
  static Result<std::unique_ptr<AvroColumn>> Make(std::shared_ptr<arrow::DataType> type,
                                                  std::string path, arrow::MemoryPool* pool);

  void SetChild(size_t index, std::unique_ptr<AvroColumn> child) {
    children_[index] = std::move(child);
  }
  AvroColumn* child(size_t index) { return children_[index].get(); }

  const std::shared_ptr<arrow::DataType>& type() const { return type_; }
  const std::string& path() const { return path_; }
  const Status& status() const { return status_; }
  int32_t width() const { return width_; }
  int64_t length() const { return length_; }

  /// A value of a kFixed or kBool column; T has the column's width.
  template <typename T>
  bool Append(T value) {
    if (length_ == capacity_ && !Grow()) return false;
    std::memcpy(values_ + length_ * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
    ++length_;
    return true;
  }
  /// width() bytes of a kFixed column.
  bool AppendFixed(const void* bytes) {
    if (length_ == capacity_ && !Grow()) return false;
    std::memcpy(values_ + length_ * width_, bytes, static_cast<size_t>(width_));
    ++length_;
    return true;
  }
  /// A value of a kBinary column. `readable` bytes may be read at `bytes`, at least `size`.
  bool AppendBytes(const uint8_t* bytes, size_t size, size_t readable) {
    if (length_ == capacity_ && !Grow()) return false;
    if (data_capacity_ - data_size_ < static_cast<int64_t>(size) && !GrowData(size)) return false;
    uint8_t* const out = data_ + data_size_;
    // Short values are copied as one block of 16, which the slack of the buffer allows.
    if (size <= 16 && readable >= 16) {
      std::memcpy(out, bytes, 16);
    } else {
      std::memcpy(out, bytes, size);
    }
    data_size_ += static_cast<int64_t>(size);
    offsets_[++length_] = static_cast<int32_t>(data_size_);
    return true;
  }
  bool AppendText(std::string_view text) {
    return AppendBytes(reinterpret_cast<const uint8_t*>(text.data()), text.size(), text.size());
  }
  /// Ends a struct whose children were appended.
  bool AppendStruct() {
    if (length_ == capacity_ && !Grow()) return false;
    ++length_;
    return true;
  }
  /// Ends a list whose items were appended to the child.
  bool AppendList();
  bool AppendNull();

  /// The values so far as an array; the column starts again, empty.
  /// Errors: kCorrupt when a text column holds bytes that are not UTF-8.
  Result<std::shared_ptr<arrow::ArrayData>> Finish();

 private:
  AvroColumn(std::shared_ptr<arrow::DataType> type, std::string path, arrow::MemoryPool* pool)
      : type_(std::move(type)), path_(std::move(path)), pool_(pool) {}

  Status Init();
  bool Grow();
  bool GrowData(size_t size);
  Status GrowTo(int64_t capacity);
  Status Resize(std::shared_ptr<arrow::ResizableBuffer>* buffer, int64_t size);
  Status CheckUtf8() const;
  Result<std::shared_ptr<arrow::Buffer>> Pack(const uint8_t* bytes) const;
  Status FinishBuffers(arrow::ArrayData* out);
  Status FinishChildren(arrow::ArrayData* out);
  void Restart();

  uint8_t* values_ = nullptr;  // kFixed, kBool
  uint8_t* valid_ = nullptr;   // 0 or 1 a slot
  int32_t* offsets_ = nullptr;
  uint8_t* data_ = nullptr;
  int64_t length_ = 0, capacity_ = 0;
  int64_t data_size_ = 0, data_capacity_ = 0;
  int64_t null_count_ = 0;
  int64_t last_length_ = 0, last_data_size_ = 0;  // of the batch before, the next is like it
  int32_t width_ = 0;
  Layout layout_ = Layout::kFixed;
  std::vector<std::unique_ptr<AvroColumn>> children_;

  std::shared_ptr<arrow::DataType> type_;
  std::string path_;
  arrow::MemoryPool* pool_;
  Status status_;
  std::shared_ptr<arrow::ResizableBuffer> values_buffer_, valid_buffer_, offsets_buffer_,
      data_buffer_;
};

}  // namespace firth
