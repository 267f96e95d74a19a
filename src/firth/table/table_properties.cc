// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_properties.h"

#include <chrono>
#include <ctime>
#include <utility>

#include "firth/common/checksum.h"

namespace firth {
namespace {

constexpr std::string_view kPropertiesPath = ".hoodie/hoodie.properties";

std::string_view Get(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

std::string UtcNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

std::string TableChecksum(const Properties& properties) {
  return fmt::to_string(Crc32(fmt::format("{}.{}", Get(properties, "hoodie.database.name"),
                                          Get(properties, "hoodie.table.name"))));
}

std::string FormatTableProperties(Properties properties) {
  properties["hoodie.table.checksum"] = TableChecksum(properties);
  return fmt::format("#Properties saved on {}\n{}", UtcNow(), FormatProperties(properties));
}

Status CreateTableProperties(const StorageWriter& writer, Properties properties) {
  return writer.Create(kPropertiesPath, FormatTableProperties(std::move(properties)));
}

}  // namespace firth
