// SPDX-License-Identifier: Apache-2.0
// HFiles that HBase wrote, with entries known from their names.
#include <fmt/format.h>

#include "firth/format/hfile/hfile_check.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

/// What the generator of the fixtures writes: keys and values that count up.
HFileEntries EntriesOf(const std::string& file) {
  const auto has = [&file](std::string_view part) { return file.find(part) != std::string::npos; };
  const int count = has("no_entry")   ? 0
                    : has("_200_20_") ? 200
                    : has("_5000")    ? 5'000
                    : has("_10000")   ? 10'000
                                      : 20'000;
  const std::string prefix = "hudi-key-" + (has("large_keys") ? std::string(100, 'a') + "-" : "");
  const std::string suffix = has("fake_first_key") ? "-abcdefghij" : "";
  HFileEntries entries;
  for (int i = 0; i < count; ++i) {
    const std::string key = fmt::format("{}{:09}{}", prefix, i, suffix);
    const std::string value = fmt::format("hudi-value-{:09}", i);
    entries.emplace_back(key, value);
    if (!has("non_unique")) continue;
    for (int j = 0; j < 20; ++j) entries.emplace_back(key, fmt::format("{}_{}", value, j));
  }
  return entries;
}

TEST(HFileFixtures, AnswerAsTheirGeneratorSays) {
  const auto files = FixtureHFiles();
  if (files.empty()) GTEST_SKIP() << "no fixtures/hudi-rs beside the repository";
  for (const auto& path : files) {
    const std::string name = path.filename().string();
    SCOPED_TRACE(name);
    HFileReadOptions options;
    options.path = name;
    options.tail_bytes = 0;
    const auto reader = OpenHFileBytes(testing::ReadFileBytes(path), options);
    ASSERT_TRUE(reader.ok()) << reader.status();
    const HFileEntries expected = EntriesOf(name);
    EXPECT_EQ((*reader)->num_entries(), static_cast<int64_t>(expected.size()));
    CheckEverything(**reader, expected, expected.size() / 5 + 1);
  }
}

}  // namespace
}  // namespace firth
