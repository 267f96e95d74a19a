// SPDX-License-Identifier: Apache-2.0
#include "firth/writer.h"

#include <arrow/type.h>

#include <string>
#include <string_view>
#include <vector>

#include "firth/io/storage.h"
#include "firth/io/storage_writer.h"
#include "firth/table/file_system_view.h"
#include "firth/table/schema_ddl.h"
#include "firth/table/table_properties.h"
#include "firth/write/create_table.h"

namespace firth {
namespace {

// What stock Hudi finds in every table's folder.
constexpr const char* kFolders[] = {".hoodie/timeline/history", ".hoodie/.temp", ".hoodie/.schema",
                                    ".hoodie/.aux/.bootstrap/.partitions",
                                    ".hoodie/.aux/.bootstrap/.fileids"};

// `lake/orders/` gives orders.
std::string NameOf(const Storage& storage) {
  std::string root = storage.FullPath("");
  while (root.ends_with('/')) root.pop_back();
  return std::string(LastSegment(root));
}

Status AlreadyATable(const Storage& storage) {
  return WithRemedy(
      Error(ErrorCode::kAlreadyExists, "{} is a Hudi table already", storage.display_root()),
      "choose another folder");
}

// What is left of a table that has lost its properties, or belongs to another one, must not become
// part of a new one.
Status CheckFree(const Storage& storage) {
  for (const char* file : {".hoodie/hoodie.properties", ".hoodie/hoodie.properties.backup"}) {
    ARROW_ASSIGN_OR_RAISE(const bool exists, storage.Exists(file));
    if (exists) return AlreadyATable(storage);
  }
  const auto taken = [&](std::string_view by) {
    return WithRemedy(Error(ErrorCode::kAlreadyExists, "{} holds {}, a file of another table",
                            storage.display_root(), by),
                      "choose another folder");
  };
  const std::string root = storage.FullPath("") + "/";
  if (root.find("/.hoodie/") != std::string::npos) return taken(".hoodie above it");
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> kept, storage.ListRecursive(".hoodie"));
  for (const FileInfo& file : kept) {
    if (!file.name().ends_with(".tmp")) return taken(file.path);  // of one that creates it, too
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage.List(""));
  for (const FileInfo& file : files) {
    if (file.name().starts_with(".hoodie_partition_metadata") ||
        ParseBaseFileName(file.name(), file.size) || ParseLogFileName(file.name(), file.size)) {
      return taken(file.path);
    }
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<arrow::Schema>> ParseSchema(std::string_view ddl) {
  return ParseSchemaDdl(ddl);
}

Result<Table> CreateTable(std::string_view uri, const TableDefinition& definition,
                          const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto storage, Storage::Open(uri, options.storage_options));
  ARROW_ASSIGN_OR_RAISE(const auto writer, StorageWriter::Open(*storage));
  ARROW_ASSIGN_OR_RAISE(Properties properties, PropertiesOf(definition, NameOf(*storage)));
  ARROW_RETURN_NOT_OK(CheckFree(*storage));
  for (const char* folder : kFolders) ARROW_RETURN_NOT_OK(writer->CreateFolder(folder));
  const Status created = CreateTableProperties(*writer, std::move(properties));
  if (!created.ok() && GetErrorCode(created) == ErrorCode::kAlreadyExists) {
    return AlreadyATable(*storage);
  }
  ARROW_RETURN_NOT_OK(created);
  return Table::Open(uri, options);
}

}  // namespace firth
