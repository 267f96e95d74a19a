// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/block_content.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <cstring>

namespace firth {
namespace {

constexpr int64_t kWholeContentBytes = int64_t{8} << 20;

class BlockContent final : public arrow::io::RandomAccessFile {
 public:
  BlockContent(const LogReader& log, const LogBlock& block) : log_(log), block_(block) {
    set_mode(arrow::io::FileMode::READ);
  }

  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return position_; }
  Result<int64_t> GetSize() override { return block_.content_length; }
  Status Seek(int64_t position) override {
    if (position < 0 || position > block_.content_length) {
      return InvalidError("offset {} in a block of {} bytes", position, block_.content_length);
    }
    position_ = position;
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    ARROW_RETURN_NOT_OK(Seek(position));
    return log_.LoadContent(block_, position, std::min(count, block_.content_length - position));
  }
  Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadAt(position, count));
    std::memcpy(out, bytes->data(), static_cast<size_t>(bytes->size()));
    return bytes->size();
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    const int64_t begin = position_;
    ARROW_ASSIGN_OR_RAISE(auto bytes, ReadAt(begin, count));
    position_ = begin + bytes->size();
    return bytes;
  }
  Result<int64_t> Read(int64_t count, void* out) override {
    const int64_t begin = position_;
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(begin, count, out));
    position_ = begin + read;
    return read;
  }

 private:
  const LogReader& log_;
  const LogBlock& block_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenBlockContent(const LogReader& log,
                                                                      const LogBlock& block) {
  if (block.content_length > kWholeContentBytes) {
    return std::make_shared<BlockContent>(log, block);
  }
  ARROW_ASSIGN_OR_RAISE(auto content, log.LoadContent(block));
  return std::make_shared<arrow::io::BufferReader>(std::move(content));
}

}  // namespace firth
