// SPDX-License-Identifier: Apache-2.0
// 1,000 random keys of a record index with 10 million, over block sizes and codecs. Each file (half
// a gigabyte) is written once, into the temporary folder, and removed at the end.
//   cached: the same keys again, with a block cache
//   warm:   other keys each time, the file in the page cache of the system, no block cache
//   cold:   opened anew, nothing in the page cache
#include <arrow/io/file.h>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "firth/format/hfile/hfile_reader.h"
#include "firth/format/hfile/hfile_writer.h"
#include "firth/testing/uuid_keys.h"

namespace firth {
namespace {

using testing::Mix;
using testing::UuidKey;

constexpr uint64_t kEntries = 10'000'000;
constexpr size_t kLookups = 1'000;

template <typename T>
T Check(Result<T> result) {
  if (!result.ok()) result.status().Abort();
  return *std::move(result);
}
void Check(const Status& status) {
  if (!status.ok()) status.Abort();
}

/// What a record index holds for a key: a partition, the 16 bytes of a file id and an instant.
std::string ValueAt(uint64_t i) {
  std::string value(
      "\x0A\x00\x02\x14"
      "2026-11-30",
      14);
  const uint64_t file = Mix(i) % 200;
  for (const uint64_t half : {Mix(file), Mix(file + 1'000)}) {
    for (int shift = 0; shift < 64; shift += 8) value.push_back(static_cast<char>(half >> shift));
  }
  return value + std::string("\x00\xF4\xE9\xC4\x8A\xF2\x66\x00", 8);
}

class Files {
 public:
  ~Files() {
    for (const auto& [key, path] : paths_) std::filesystem::remove(path);
  }

  const std::string& Get(HFileCodec codec, int64_t block_bytes) {
    std::string& path = paths_[{codec, block_bytes}];
    if (!path.empty()) return path;
    path = std::filesystem::temp_directory_path() /
           fmt::format("firth_hfile_{}_{}_{}", getpid(), static_cast<int>(codec), block_bytes);
    const auto sink = Check(arrow::io::FileOutputStream::Open(path));
    const HFileWriteOptions options{
        .codec = codec, .block_bytes = block_bytes, .stock_readable = false};
    const auto writer = Check(HFileWriter::Make(sink, options));
    for (uint64_t i = 0; i < kEntries; ++i) Check(writer->Append(UuidKey(i, kEntries), ValueAt(i)));
    Check(writer->Finish());
    Check(sink->Close());
    return path;
  }

 private:
  std::map<std::pair<HFileCodec, int64_t>, std::string> paths_;
};

void ForgetPages(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  fdatasync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

std::shared_ptr<const HFileReader> OpenFile(const std::string& path, bool cached) {
  HFileReadOptions options{.path = path};
  if (cached) options.cache = std::make_shared<HFileBlockCache>(int64_t{1} << 30);
  return Check(HFileReader::Open(Check(arrow::io::ReadableFile::Open(path)), options));
}

HFileCost LookupRandom(const HFileReader& reader, std::mt19937_64& random) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kLookups; ++i) keys.push_back(UuidKey(random() % kEntries, kEntries));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  size_t found = 0;
  const HFileCost cost =
      Check(reader.Lookup(views, [&found](size_t, std::string_view, std::string_view) {
        ++found;
        return Status::OK();
      }));
  if (found != kLookups) std::abort();
  return cost;
}

enum Mode : int64_t { kCached, kWarm, kCold };

void BM_HFileLookup(benchmark::State& state) {
  static Files files;
  const auto codec = static_cast<HFileCodec>(state.range(0));
  const auto mode = static_cast<Mode>(state.range(2));
  const std::string& path = files.Get(codec, state.range(1) << 10);
  std::mt19937_64 random(1);
  auto reader = OpenFile(path, mode == kCached);
  HFileCost cost = LookupRandom(*reader, random);
  for (auto _ : state) {
    if (mode == kCold) {
      state.PauseTiming();
      reader.reset();
      ForgetPages(path);
      state.ResumeTiming();
      reader = OpenFile(path, false);
    }
    if (mode == kCached) random.seed(1);
    cost = LookupRandom(*reader, random);
  }
  state.counters["blocks"] = static_cast<double>(cost.blocks);
  state.counters["requests"] = static_cast<double>(cost.requests);
  state.counters["MB read"] = static_cast<double>(cost.bytes) / 1e6;
  state.counters["file MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  state.counters["open MB"] = static_cast<double>(reader->open_cost().bytes) / 1e6;
  state.SetLabel(fmt::format("{} {}",
                             std::array{"", "gzip", "none", "", "", "", "zstd"}[state.range(0)],
                             std::array{"cached", "warm", "cold"}[mode]));
}
BENCHMARK(BM_HFileLookup)
    ->ArgsProduct({{1, 2, 6}, {4, 8, 16, 64}, {kCached, kWarm, kCold}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace firth
