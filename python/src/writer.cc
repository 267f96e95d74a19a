// SPDX-License-Identifier: Apache-2.0
#include "firth/writer.h"

#include <arrow/type.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "stream.h"

namespace firth::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Texts = std::map<std::string, std::string>;

/// @param schema a capsule "arrow_schema", or the columns as Spark SQL declares them
Table Create(const std::string& uri, const nb::object& schema, std::vector<std::string> key,
             std::vector<std::string> partition_by, std::vector<std::string> ordering,
             bool merge_on_read, std::string name, Texts properties, int version,
             const Texts& storage_options) {
  TableDefinition definition;
  definition.schema = nb::isinstance<nb::str>(schema)
                          ? ValueOrThrow(ParseSchema(nb::cast<std::string>(schema)))
                          : SchemaFromCapsule(schema);
  definition.key = std::move(key);
  definition.partition_by = std::move(partition_by);
  definition.ordering = std::move(ordering);
  definition.merge_on_read = merge_on_read;
  definition.name = std::move(name);
  definition.properties = std::move(properties);
  definition.version = version;
  OpenOptions options;
  options.storage_options.insert(storage_options.begin(), storage_options.end());
  const nb::gil_scoped_release release;
  return ValueOrThrow(CreateTable(uri, definition, options));
}

}  // namespace

void BindWriter(nb::module_& module) {
  module.def("create", &Create, "uri"_a, "schema"_a, "key"_a, "partition_by"_a, "ordering"_a,
             "merge_on_read"_a, "name"_a, "properties"_a, "version"_a, "storage_options"_a);
}

}  // namespace firth::python
