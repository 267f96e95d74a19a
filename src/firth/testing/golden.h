// SPDX-License-Identifier: Apache-2.0
// The golden tables, zip files made by real Hudi that lie outside the repository. A test that needs
// them skips, saying so, when they are absent.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace firth::testing {

/// The folder of the zip files: `oracle/golden` below FIRTH_SHARED or ../shared.
inline std::filesystem::path GoldenDir() {
  const char* shared = std::getenv("FIRTH_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : FIRTH_SOURCE_DIR "/../shared") /
         "oracle/golden";
}

/// Names of all golden tables, sorted; empty when there are none.
inline std::vector<std::string> GoldenNames() {
  std::vector<std::string> names;
  if (!std::filesystem::is_directory(GoldenDir())) return names;
  for (const auto& entry : std::filesystem::directory_iterator(GoldenDir())) {
    if (entry.path().extension() == ".zip") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The one golden table that firth must refuse, by the format of its base files.
inline constexpr std::string_view kRefusedGolden = "v9_cow_orc";

/// Names of all golden tables that firth must read, sorted; empty when there are none.
inline std::vector<std::string> ReadableGoldenNames() {
  std::vector<std::string> names = GoldenNames();
  std::erase(names, kRefusedGolden);
  return names;
}

/// One golden table, unpacked into a temporary folder for as long as the object lives.
class GoldenTable {
 public:
  /// @param files what to unpack, a pattern of `unzip`: '*' matches '/' too
  explicit GoldenTable(std::string_view name, std::string_view files = "*") {
    static std::atomic<int> count{0};
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("firth_golden_{}_{}", getpid(), count++);
    root_ = folder_ / name;
    std::filesystem::create_directories(root_);
    const std::string command = fmt::format("unzip -qq -o '{}/{}.zip' '{}' -d '{}' 2>/dev/null",
                                            GoldenDir().string(), name, files, folder_.string());
    // A pattern that matches nothing is a folder without files.
    [[maybe_unused]] const int result = std::system(command.c_str());
  }
  ~GoldenTable() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  GoldenTable(const GoldenTable&) = delete;
  GoldenTable& operator=(const GoldenTable&) = delete;

  const std::filesystem::path& root() const { return root_; }

  /// All unpacked files, sorted.
  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

 private:
  std::filesystem::path folder_;
  std::filesystem::path root_;
};

inline std::string ReadFileBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

}  // namespace firth::testing
