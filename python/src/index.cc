// SPDX-License-Identifier: Apache-2.0
#include "firth/index.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"

namespace firth::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

std::string StateName(const IndexInfo& index) { return std::string(IndexStateName(index.state)); }

nb::object ToPython(const StatisticsBound& bound) {
  if (const auto* flag = std::get_if<bool>(&bound)) return nb::bool_(*flag);
  if (const auto* whole = std::get_if<int64_t>(&bound)) return nb::int_(*whole);
  if (const auto* real = std::get_if<double>(&bound)) return nb::float_(*real);
  if (const auto* text = std::get_if<std::string>(&bound)) return MessageText(*text);
  if (const auto* binary = std::get_if<BinaryValue>(&bound)) {
    return nb::bytes(binary->bytes.data(), binary->bytes.size());
  }
  return nb::none();
}

std::optional<int64_t> Known(int64_t count) {
  return count < 0 ? std::nullopt : std::optional(count);
}

KeyLookup FindKeys(const Snapshot& snapshot, const std::vector<std::string>& keys,
                   std::optional<std::string> partition) {
  KeyLookupOptions options;
  options.partition = std::move(partition);
  return ValueOrThrow(LookupKeys(snapshot, keys, options));
}

ValueLookup FindValues(const Snapshot& snapshot, const std::string& column,
                       const std::vector<std::optional<std::string>>& values) {
  return ValueOrThrow(LookupValues(snapshot, column, values));
}

StatisticsLookup FindStatistics(const Snapshot& snapshot, const std::vector<std::string>& columns,
                                const std::optional<std::vector<std::string>>& files) {
  return ValueOrThrow(LookupStatistics(snapshot, columns, files));
}

BloomLookup FindBloomFilter(const Snapshot& snapshot, const std::string& file,
                            const std::vector<std::string>& keys) {
  return ValueOrThrow(LookupBloomFilter(snapshot, file, keys));
}

void BindLookups(nb::module_& module) {
  nb::class_<LookupCost>(module, "LookupCost", "What one call took.")
      .def_ro("file_groups", &LookupCost::file_groups, "asked")
      .def_ro("blocks", &LookupCost::blocks, "of base files, those that were in memory included")
      .def_ro("cache_hits", &LookupCost::cache_hits, "blocks that were in memory")
      .def_ro("bytes", &LookupCost::bytes, "read from storage")
      .def_ro("requests", &LookupCost::requests, "made to storage");
  nb::class_<KeyLocation>(module, "KeyLocation", "Where the row of a key lives.")
      .def_ro("key", &KeyLocation::key, "record key")
      .def_ro("partition", &KeyLocation::partition, "partition path; empty without partitions")
      .def_ro("file_id", &KeyLocation::file_id, "the file group")
      .def_ro("instant", &KeyLocation::instant,
              "requested time of the write that inserted the key; empty when it is not stored")
      .def("__repr__", [](const KeyLocation& location) {
        return "<key " + location.key + " in " + location.partition + "/" + location.file_id + ">";
      });
  nb::class_<KeyLookup>(module, "KeyLookup", "Answer of lookup() by key.")
      .def_ro("locations", &KeyLookup::locations, "by key; a key that is not there has none")
      .def_ro("cost", &KeyLookup::cost, "of the call");
  nb::class_<ValueMatch>(module, "ValueMatch", "A row that has a value.")
      .def_ro("value", &ValueMatch::value, "as it was asked for; None is NULL")
      .def_ro("key", &ValueMatch::key, "record key")
      .def("__repr__", [](const ValueMatch& match) {
        return "<value " + match.value.value_or("NULL") + " of key " + match.key + ">";
      });
  nb::class_<ValueLookup>(module, "ValueLookup", "Answer of lookup() by value.")
      .def_ro("index", &ValueLookup::index, "that answered")
      .def_ro("matches", &ValueLookup::matches,
              "by value and key; a value that no row has has none")
      .def_ro("cost", &ValueLookup::cost, "of the call");
  nb::class_<BloomLookup>(module, "BloomLookup", "Answer of bloom_filter().")
      .def_ro("possible", &BloomLookup::possible, "for each key, whether the file may have it")
      .def_ro("cost", &BloomLookup::cost, "of the call");
}

void BindStatistics(nb::module_& module) {
  nb::class_<FileStatistics>(
      module, "FileStatistics",
      "What column statistics say about one column in one file. What is not stored is None.")
      .def_ro("file", &FileStatistics::file, "path relative to the table")
      .def_ro("column", &FileStatistics::column, "its name, dots for nested ones")
      .def_ro("stored", &FileStatistics::stored, "whether there are any")
      .def_prop_ro(
          "min", [](const FileStatistics& of) { return ToPython(of.min); }, "smallest value")
      .def_prop_ro(
          "max", [](const FileStatistics& of) { return ToPython(of.max); }, "largest value")
      .def_prop_ro(
          "rows", [](const FileStatistics& of) { return Known(of.rows); }, "nulls included")
      .def_prop_ro(
          "nulls", [](const FileStatistics& of) { return Known(of.nulls); }, "of the rows")
      .def_prop_ro(
          "bytes", [](const FileStatistics& of) { return Known(of.bytes); },
          "of the column in the file, compressed")
      .def_prop_ro(
          "uncompressed_bytes",
          [](const FileStatistics& of) { return Known(of.uncompressed_bytes); },
          "of the column, in memory");
  nb::class_<StatisticsLookup>(module, "StatisticsLookup", "Answer of column_statistics().")
      .def_ro("statistics", &StatisticsLookup::statistics,
              "file by file, columns in the order asked for")
      .def_ro("cost", &StatisticsLookup::cost, "of the call");
}

}  // namespace

void BindIndex(nb::module_& module) {
  using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<IndexInfo>(module, "IndexInfo", "One index: a partition of the metadata table.")
      .def_ro("name", &IndexInfo::name, "of the partition")
      .def_ro("type", &IndexInfo::type,
              "files, column_stats, partition_stats, bloom_filters, record_index, secondary_index, "
              "expression_index or unknown")
      .def_ro("columns", &IndexInfo::columns,
              "indexed ones, as its definition names them; may be empty")
      .def_ro("function", &IndexInfo::function, "of an expression index")
      .def_ro("partitioned", &IndexInfo::partitioned,
              "record_index: keys are unique in each data partition only")
      .def_prop_ro("state", &StateName, "ready, building or distrusted")
      .def_prop_ro(
          "reason", [](const IndexInfo& index) { return MessageText(index.reason); },
          "a clause, unless it is ready")
      .def_ro("file_groups", &IndexInfo::file_groups, "0 unless it is ready")
      .def_ro("bytes", &IndexInfo::bytes, "of its files on storage; 0 unless it is ready")
      .def("__repr__", [](const IndexInfo& index) {
        return "<index " + index.name + " " + StateName(index) + ">";
      });
  BindLookups(module);
  BindStatistics(module);
  module.def(
      "list_indexes", [](const Snapshot& snapshot) { return ValueOrThrow(ListIndexes(snapshot)); },
      "snapshot"_a, ReleaseGil());
  module.def("lookup_keys", &FindKeys, "snapshot"_a, "keys"_a, "partition"_a.none(), ReleaseGil());
  module.def("lookup_values", &FindValues, "snapshot"_a, "column"_a, "values"_a, ReleaseGil());
  module.def("lookup_bloom_filter", &FindBloomFilter, "snapshot"_a, "file"_a, "keys"_a,
             ReleaseGil());
  module.def("lookup_statistics", &FindStatistics, "snapshot"_a, "columns"_a, "files"_a.none(),
             ReleaseGil());
}

}  // namespace firth::python
