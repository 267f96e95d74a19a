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

std::string StateName(const IndexInfo& index) {
  switch (index.state) {
    case IndexState::kReady:
      return "ready";
    case IndexState::kBuilding:
      return "building";
    case IndexState::kDistrusted:
      return "distrusted";
  }
  return "distrusted";
}

// Text, or bytes where it is none: bounds of binary columns.
nb::object TextOrBytes(const std::string& text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                           /*errors=*/nullptr);
  if (decoded != nullptr) return nb::steal(decoded);
  PyErr_Clear();
  return nb::bytes(text.data(), text.size());
}

nb::object ToPython(const StatisticsBound& bound) {
  if (const auto* flag = std::get_if<bool>(&bound)) return nb::bool_(*flag);
  if (const auto* whole = std::get_if<int64_t>(&bound)) return nb::int_(*whole);
  if (const auto* real = std::get_if<double>(&bound)) return nb::float_(*real);
  if (const auto* text = std::get_if<std::string>(&bound)) return TextOrBytes(*text);
  return nb::none();
}

std::optional<int64_t> Known(int64_t count) {
  return count < 0 ? std::nullopt : std::optional(count);
}

KeyLookup FindKeys(const Snapshot& snapshot, const std::vector<std::string>& keys,
                   std::optional<std::string> partition, int threads) {
  KeyLookupOptions options;
  options.partition = std::move(partition);
  options.threads = threads;
  return ValueOrThrow(LookupKeys(snapshot, keys, options));
}

ValueLookup FindValues(const Snapshot& snapshot, const std::string& column,
                       const std::vector<std::optional<std::string>>& values) {
  return ValueOrThrow(LookupValues(snapshot, column, values));
}

StatisticsLookup FindStatistics(const Snapshot& snapshot, const std::vector<std::string>& columns,
                                const std::vector<std::string>& files) {
  return ValueOrThrow(LookupStatistics(snapshot, columns, files));
}

BloomLookup FindBloomFilter(const Snapshot& snapshot, const std::string& file,
                            const std::vector<std::string>& keys) {
  return ValueOrThrow(LookupBloomFilter(snapshot, file, keys));
}

void BindAnswers(nb::module_& module) {
  nb::class_<LookupCost>(module, "LookupCost")
      .def_ro("file_groups", &LookupCost::file_groups)
      .def_ro("blocks", &LookupCost::blocks)
      .def_ro("cache_hits", &LookupCost::cache_hits)
      .def_ro("bytes", &LookupCost::bytes)
      .def_ro("requests", &LookupCost::requests);
  nb::class_<KeyLocation>(module, "KeyLocation")
      .def_ro("key", &KeyLocation::key)
      .def_ro("partition", &KeyLocation::partition)
      .def_ro("file_id", &KeyLocation::file_id)
      .def_ro("instant", &KeyLocation::instant)
      .def("__repr__", [](const KeyLocation& location) {
        return "<key " + location.key + " in " + location.partition + "/" + location.file_id + ">";
      });
  nb::class_<KeyLookup>(module, "KeyLookup")
      .def_ro("locations", &KeyLookup::locations)
      .def_ro("cost", &KeyLookup::cost);
  nb::class_<ValueMatch>(module, "ValueMatch")
      .def_ro("value", &ValueMatch::value)
      .def_ro("key", &ValueMatch::key)
      .def("__repr__", [](const ValueMatch& match) {
        return "<value " + match.value.value_or("NULL") + " of key " + match.key + ">";
      });
  nb::class_<ValueLookup>(module, "ValueLookup")
      .def_ro("index", &ValueLookup::index)
      .def_ro("matches", &ValueLookup::matches)
      .def_ro("cost", &ValueLookup::cost);
  nb::class_<FileStatistics>(module, "FileStatistics")
      .def_ro("file", &FileStatistics::file)
      .def_ro("column", &FileStatistics::column)
      .def_ro("stored", &FileStatistics::stored)
      .def_prop_ro("min", [](const FileStatistics& of) { return ToPython(of.min); })
      .def_prop_ro("max", [](const FileStatistics& of) { return ToPython(of.max); })
      .def_prop_ro("rows", [](const FileStatistics& of) { return Known(of.rows); })
      .def_prop_ro("nulls", [](const FileStatistics& of) { return Known(of.nulls); })
      .def_prop_ro("bytes", [](const FileStatistics& of) { return Known(of.bytes); })
      .def_prop_ro("uncompressed_bytes",
                   [](const FileStatistics& of) { return Known(of.uncompressed_bytes); });
  nb::class_<StatisticsLookup>(module, "StatisticsLookup")
      .def_ro("statistics", &StatisticsLookup::statistics)
      .def_ro("cost", &StatisticsLookup::cost);
  nb::class_<BloomLookup>(module, "BloomLookup")
      .def_ro("possible", &BloomLookup::possible)
      .def_ro("cost", &BloomLookup::cost);
}

}  // namespace

void BindIndex(nb::module_& module) {
  using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<IndexInfo>(module, "IndexInfo")
      .def_ro("name", &IndexInfo::name)
      .def_ro("type", &IndexInfo::type)
      .def_ro("columns", &IndexInfo::columns)
      .def_ro("function", &IndexInfo::function)
      .def_ro("partitioned", &IndexInfo::partitioned)
      .def_prop_ro("state", &StateName)
      .def_prop_ro("reason", [](const IndexInfo& index) { return MessageText(index.reason); })
      .def_ro("file_groups", &IndexInfo::file_groups)
      .def_ro("bytes", &IndexInfo::bytes)
      .def("__repr__", [](const IndexInfo& index) {
        return "<index " + index.name + " " + StateName(index) + ">";
      });
  BindAnswers(module);
  module.def(
      "list_indexes", [](const Snapshot& snapshot) { return ValueOrThrow(ListIndexes(snapshot)); },
      "snapshot"_a, ReleaseGil());
  module.def("lookup_keys", &FindKeys, "snapshot"_a, "keys"_a, "partition"_a.none(), "threads"_a,
             ReleaseGil());
  module.def("lookup_values", &FindValues, "snapshot"_a, "column"_a, "values"_a, ReleaseGil());
  module.def("lookup_bloom_filter", &FindBloomFilter, "snapshot"_a, "file"_a, "keys"_a,
             ReleaseGil());
  module.def("lookup_statistics", &FindStatistics, "snapshot"_a, "columns"_a, "files"_a,
             ReleaseGil());
}

}  // namespace firth::python
