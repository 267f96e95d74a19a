// SPDX-License-Identifier: Apache-2.0
// firth create.
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "firth/writer.h"

namespace firth::cli {
namespace {

using SchemaPtr = std::shared_ptr<arrow::Schema>;

struct CreateArguments {
  TableArguments table;
  std::string schema;
  std::string like;
  std::string type = "cow";
  TableDefinition definition;
  std::vector<std::string> properties;  // KEY=VALUE
};

arrow::Result<SchemaPtr> ParquetSchema(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        parquet::arrow::OpenFile(std::move(file), arrow::default_memory_pool()));
  SchemaPtr schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  return schema;
}

arrow::Result<SchemaPtr> ArrowSchema(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  const auto as_file = arrow::ipc::RecordBatchFileReader::Open(file);
  if (as_file.ok()) return (*as_file)->schema();
  ARROW_RETURN_NOT_OK(file->Seek(0));
  ARROW_ASSIGN_OR_RAISE(const auto as_stream, arrow::ipc::RecordBatchStreamReader::Open(file));
  return as_stream->schema();
}

// Files of tables have meta columns, which a new table gets by itself.
SchemaPtr WithoutMetaColumns(const SchemaPtr& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema->fields()) {
    const bool meta =
        field->name().starts_with("_hoodie_") && field->name() != "_hoodie_is_deleted";
    if (!meta) fields.push_back(field);
  }
  return arrow::schema(std::move(fields));
}

// The columns of another table, or of a file.
arrow::Result<SchemaPtr> SchemaLike(const std::string& like) {
  std::error_code error;  // a path that can't be looked at is one without a file
  if (std::filesystem::is_directory(like, error)) {
    ARROW_ASSIGN_OR_RAISE(const Table table, Table::Open(like));
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, table.Pin());
    return snapshot.schema();
  }
  if (!std::filesystem::exists(like, error)) {
    return NotFoundError(fmt::format("--like {}: no such file", like));
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(like));
  arrow::Result<SchemaPtr> schema = ParquetSchema(file);
  if (!schema.ok()) schema = ArrowSchema(file);
  if (schema.ok()) return WithoutMetaColumns(*schema);
  return UsageError(fmt::format("--like {} is no Parquet file, no Arrow file and no table", like),
                    "give the columns by --schema");
}

arrow::Status SetProperties(CreateArguments* arguments) {
  for (const std::string& property : arguments->properties) {
    const size_t equals = property.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(fmt::format("--set {} has no KEY=", property),
                        "write --set hoodie.table.cdc.enabled=true");
    }
    arguments->definition.properties[property.substr(0, equals)] = property.substr(equals + 1);
  }
  return arrow::Status::OK();
}

arrow::Status RunCreate(CreateArguments* arguments) {
  if (arguments->schema.empty() == arguments->like.empty()) {
    return UsageError("the columns are missing", "give --schema or --like");
  }
  TableDefinition& definition = arguments->definition;
  ARROW_ASSIGN_OR_RAISE(definition.schema, arguments->like.empty() ? ParseSchema(arguments->schema)
                                                                   : SchemaLike(arguments->like));
  definition.merge_on_read = arguments->type == "mor";
  ARROW_RETURN_NOT_OK(SetProperties(arguments));
  ARROW_ASSIGN_OR_RAISE(const OpenOptions options, arguments->table.Options());
  ARROW_ASSIGN_OR_RAISE(const Table table, CreateTable(arguments->table.uri, definition, options));
  const TableInfo info = table.info();
  if (!arguments->table.json) {
    return Print(fmt::format("created {} table {}, version {}, in {}\n", info.type, info.name,
                             info.version, info.location));
  }
  return PrintJson({{"name", info.name},
                    {"location", info.location},
                    {"version", info.version},
                    {"type", info.type},
                    {"properties", info.properties}});
}

}  // namespace

std::vector<Verb> AddCreateVerb(CLI::App& app) {
  auto arguments = std::make_shared<CreateArguments>();
  CLI::App* command = app.add_subcommand("create", "make an empty table of a folder");
  TableDefinition& definition = arguments->definition;
  const auto names = [&](const char* name, std::vector<std::string>* values, const char* help) {
    command->add_option(name, *values, help)->type_name("A,B")->delimiter(',');
  };
  arguments->table.AddTo(command);
  CLI::Option* schema =
      command->add_option("--schema", arguments->schema,
                          "columns and Spark types: \"id bigint, price decimal(10,2), "
                          "emb vector(384), day date\"");
  command
      ->add_option("--like", arguments->like,
                   "take the columns of this Parquet or Arrow file, or of this table")
      ->type_name("FILE")
      ->excludes(schema);
  names("--key", &definition.key, "record key columns; without: generated keys");
  names("--partition", &definition.partition_by, "partition columns, outermost first");
  names("--ordering", &definition.ordering,
        "of two rows with one key the larger in these columns wins; without: the later one");
  command->add_option("--type", arguments->type, "cow (copy-on-write) or mor (merge-on-read)")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"cow", "mor"}))
      ->capture_default_str();
  command->add_option("--name", definition.name, "name of the table; default: that of the folder");
  command->add_option("--table-version", definition.version, "8 or 9")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--set", arguments->properties,
                   "a table property (repeatable): hoodie.table.cdc.enabled=true")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return {{command, [arguments] { return RunCreate(arguments.get()); }}};
}

}  // namespace firth::cli
