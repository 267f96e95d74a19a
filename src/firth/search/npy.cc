// SPDX-License-Identifier: Apache-2.0
#include "firth/search/npy.h"

#include <arrow/io/file.h>
#include <arrow/util/float16.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firth/common/bytes.h"

namespace firth {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeaderBytes = 64 << 10;
constexpr int64_t kMaxFileBytes = int64_t{4} << 30;

/// What the header says: a Python dictionary with exactly these three keys.
struct Header {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Reads the literals that NumPy writes: strings without escapes, True, False, tuples of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  Result<Header> Parse() {
    Header header;
    bool seen[3] = {};
    ARROW_RETURN_NOT_OK(Expect('{'));
    while (!Accept('}')) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view key, String());
      ARROW_RETURN_NOT_OK(Expect(':'));
      if (key == "descr" && !seen[0]) {
        ARROW_ASSIGN_OR_RAISE(header.descr, String());
        seen[0] = true;
      } else if (key == "fortran_order" && !seen[1]) {
        ARROW_ASSIGN_OR_RAISE(header.fortran_order, Boolean());
        seen[1] = true;
      } else if (key == "shape" && !seen[2]) {
        ARROW_ASSIGN_OR_RAISE(header.shape, Shape());
        seen[2] = true;
      } else {
        return Bad("has an unexpected key");
      }
      if (!Accept(',')) {
        ARROW_RETURN_NOT_OK(Expect('}'));
        break;
      }
    }
    SkipSpace();
    if (!rest_.empty()) return Bad("goes on after its dictionary");
    if (!(seen[0] && seen[1] && seen[2])) return Bad("lacks descr, fortran_order or shape");
    return header;
  }

 private:
  Status Bad(std::string_view what) const { return CorruptError("{}: the header {}", name_, what); }

  void SkipSpace() {
    const size_t start = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }
  bool Accept(char c) {
    SkipSpace();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  Status Expect(char c) {
    if (Accept(c)) return Status::OK();
    return CorruptError("{}: the header lacks a '{}'", name_, c);
  }

  Result<std::string_view> String() {
    SkipSpace();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') return Bad("lacks a string (structured types are not read)");
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return Bad("has a string without end");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  Result<bool> Boolean() {
    SkipSpace();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    return Bad("has a fortran_order that is neither True nor False");
  }

  Result<std::vector<int64_t>> Shape() {
    constexpr size_t kMaxRank = 32;
    std::vector<int64_t> shape;
    ARROW_RETURN_NOT_OK(Expect('('));
    while (!Accept(')')) {
      SkipSpace();
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0 || shape.size() == kMaxRank) {
        return Bad("has a bad shape");
      }
      rest_.remove_prefix(end - rest_.data());
      shape.push_back(extent);
      if (!Accept(',')) {
        ARROW_RETURN_NOT_OK(Expect(')'));
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  std::string_view name_;
};

/// An element type: its width and whether its bytes must be swapped.
struct FloatType {
  size_t width;
  bool big_endian;
};

Result<FloatType> ParseDescr(std::string_view descr, std::string_view name) {
  FloatType type{0, descr.starts_with('>')};
  if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '>' || descr[0] == '=') &&
      descr[1] == 'f' && (descr[2] == '2' || descr[2] == '4' || descr[2] == '8')) {
    type.width = static_cast<size_t>(descr[2] - '0');
    return type;
  }
  return InvalidError("{}: elements are of type '{}', allowed are float16, float32 and float64",
                      name, descr);
}

template <typename Bits>
Bits LoadBits(const char* p, bool big_endian) {
  auto bits = LoadLittleEndian<Bits>(p);
  if (!big_endian) return bits;
  char bytes[sizeof(Bits)];
  std::memcpy(bytes, &bits, sizeof(Bits));
  std::reverse(bytes, bytes + sizeof(Bits));
  std::memcpy(&bits, bytes, sizeof(Bits));
  return bits;
}

double LoadElement(const char* p, FloatType type) {
  switch (type.width) {
    case 2:
      return arrow::util::Float16::FromBits(LoadBits<uint16_t>(p, type.big_endian)).ToDouble();
    case 4:
      return std::bit_cast<float>(LoadBits<uint32_t>(p, type.big_endian));
    default:
      return std::bit_cast<double>(LoadBits<uint64_t>(p, type.big_endian));
  }
}

/// The text of the header; `in` then stands at the data.
Result<std::string_view> ReadHeader(ByteReader& in, std::string_view name) {
  const Result<std::string_view> magic = in.ReadBytes(kMagic.size(), "magic");
  if (!magic.ok() || *magic != kMagic) return InvalidError("{} is not a NumPy .npy file", name);
  ARROW_ASSIGN_OR_RAISE(const uint8_t major, in.ReadU8("format version"));
  ARROW_RETURN_NOT_OK(in.Skip(1, "format version"));
  if (major < 1 || major > 3) {
    return UnsupportedError("{}: .npy format version {}, allowed are 1 to 3", name, major);
  }
  size_t length = 0;
  if (major == 1) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, in.ReadBytes(2, "header length"));
    length = LoadLittleEndian<uint16_t>(bytes.data());
  } else {
    ARROW_ASSIGN_OR_RAISE(length, in.ReadU32Le("header length"));
  }
  if (length > kMaxHeaderBytes) {
    return CorruptError("{}: header of {} bytes, at most {} are read", name, length,
                        kMaxHeaderBytes);
  }
  return in.ReadBytes(length, "header");
}

}  // namespace

Result<VectorQueries> ParseNpy(std::string_view bytes, std::string_view name) {
  ByteReader in(bytes);
  ARROW_ASSIGN_OR_RAISE(const std::string_view text, ReadHeader(in, name));
  ARROW_ASSIGN_OR_RAISE(const Header header, HeaderParser(text, name).Parse());
  ARROW_ASSIGN_OR_RAISE(const FloatType type, ParseDescr(header.descr, name));
  const size_t rank = header.shape.size();
  if (rank != 1 && rank != 2) {
    return InvalidError("{}: the array has {} axes, allowed are 1 (one query) and 2", name, rank);
  }
  if (header.fortran_order && rank == 2) {
    return InvalidError("{}: the array is in Fortran order, only C order is read", name);
  }
  const int64_t rows = rank == 2 ? header.shape[0] : 1, dim = header.shape.back();
  if (rows == 0 || dim == 0) return InvalidError("{}: the array is empty", name);
  const size_t count = in.remaining() / type.width;
  if (in.remaining() % type.width != 0 || count % static_cast<size_t>(dim) != 0 ||
      count / static_cast<size_t>(dim) != static_cast<size_t>(rows)) {
    return CorruptError("{}: {} bytes of data do not make {} x {} elements of {} bytes", name,
                        in.remaining(), rows, dim, type.width);
  }
  VectorQueries queries;
  queries.dim = dim;
  queries.values.resize(count);
  const char* data = bytes.data() + in.offset();
  for (size_t i = 0; i < count; ++i) queries.values[i] = LoadElement(data + i * type.width, type);
  return queries;
}

Result<VectorQueries> ReadVectorQueries(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return NotFoundError("no such file: {}", path);
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > kMaxFileBytes) {
    return InvalidError("{} has {} bytes, queries may have {}", path, size, kMaxFileBytes);
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  ARROW_ASSIGN_OR_RAISE(const int64_t read, file->ReadAt(0, size, bytes.data()));
  bytes.resize(static_cast<size_t>(read));
  return ParseNpy(bytes, path);
}

}  // namespace firth
