// SPDX-License-Identifier: Apache-2.0
// Metadata tables that others wrote, of whose content nothing is recorded: they are believed, and
// list the files that are there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "firth/metadata/metadata_listing.h"
#include "firth/metadata/metadata_table.h"
#include "firth/table/file_system_view.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Zips() {
  const fs::path root = testing::GoldenDir() / "../../fixtures/hudi-rs";
  std::vector<fs::path> zips;
  if (!fs::is_directory(root)) return zips;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".zip") zips.push_back(entry.path());
  }
  std::ranges::sort(zips);
  return zips;
}

void Unzip(const fs::path& zip, const fs::path& folder) {
  fs::create_directories(folder);
  const std::string command =
      fmt::format("unzip -qq -o '{}' -d '{}' 2>/dev/null", zip.string(), folder.string());
  EXPECT_EQ(std::system(command.c_str()), 0) << zip;
}

// The folders of tables below `folder`, metadata tables left out.
std::vector<fs::path> TablesIn(const fs::path& folder) {
  std::vector<fs::path> tables;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path table = entry.path().parent_path().parent_path();
    if (entry.path().filename() == "hoodie.properties" && table.filename() != "metadata") {
      tables.push_back(table);
    }
  }
  return tables;
}

// Base files and logs of the latest slices. Version 6 tells of a log file's writes only by blocks.
std::vector<std::string> LatestFiles(const TableConfig& config, const Timeline& timeline,
                                     const PartitionFiles& partitions) {
  const ViewContext context = *LoadViewContext(timeline);
  std::vector<std::string> names;
  for (const auto& [partition, files] : partitions) {
    const auto slices = SnapshotSlices(config, timeline, context, partition, files, "");
    EXPECT_TRUE(slices.ok()) << slices.status();
    for (const FileSlice& slice : *slices) {
      if (slice.base) names.push_back(fmt::format("{} {}", slice.base->path, slice.base->size));
      if (config.version < 8) continue;
      for (const LogFile& log : slice.logs) {
        names.push_back(fmt::format("{} {}", log.path, log.size));
      }
    }
  }
  return names;
}

// Whether the table has a metadata table and is of a kind that firth reads.
bool Check(const fs::path& table) {
  const auto storage = *Storage::Open(table.string(), {});
  const auto config = TableConfig::Load(*storage);
  if (!config.ok() || config->metadata_partitions.empty()) return false;
  const Timeline timeline = *Timeline::Load(storage, config->timeline);
  const auto metadata = *MetadataTable::Open(storage, *config, timeline);
  for (const std::string& partition : config->metadata_partitions) {
    EXPECT_EQ(*metadata->Distrust(partition), "") << partition;
    const Status scanned = metadata->Scan(
        partition, [](const MetadataRecord&) { return Status::OK(); }, nullptr);
    EXPECT_TRUE(scanned.ok()) << partition << ": " << scanned;
  }
  const auto listed = ListMetadataFiles(*metadata, nullptr);
  EXPECT_TRUE(listed.ok()) << listed.status();
  if (listed.ok()) {
    EXPECT_EQ(LatestFiles(*config, timeline, *listed),
              LatestFiles(*config, timeline, *ListDataFiles(*storage)));
  }
  return true;
}

TEST(MetadataFixtures, AreBelievedAndListWhatIsThere) {
  const std::vector<fs::path> zips = Zips();
  if (zips.empty()) GTEST_SKIP() << "no fixtures/hudi-rs beside the repository";
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("firth_metadata_fixtures_{}", getpid());
  int checked = 0;
  for (const fs::path& zip : zips) {
    SCOPED_TRACE(zip.filename().string());
    Unzip(zip, folder);
    for (const fs::path& table : TablesIn(folder)) checked += Check(table) ? 1 : 0;
    fs::remove_all(folder);
  }
  EXPECT_GT(checked, 10);
}

}  // namespace
}  // namespace firth
