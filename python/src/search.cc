// SPDX-License-Identifier: Apache-2.0
#include "firth/search.h"

#include <arrow/table.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "errors.h"
#include "report.h"
#include "stream.h"

namespace firth::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Report = std::variant<TextSearchReport, VectorSearchReport>;

// Rows that a search found, and what it saw. Streams share their columns.
class Rows {
 public:
  Rows(std::shared_ptr<arrow::Table> table, Report report)
      : table_(std::move(table)), report_(std::move(report)) {}

  nb::object Schema() const { return SchemaCapsule(*table_->schema()); }
  nb::object Stream() const {
    return StreamCapsule(std::make_shared<arrow::TableBatchReader>(table_));
  }
  nb::dict report() const {
    return std::visit([](const auto& report) { return ToDict(report); }, report_);
  }

 private:
  std::shared_ptr<arrow::Table> table_;
  Report report_;
};

void FillOptions(SearchOptions& options, int64_t k, std::string where,
                 std::vector<std::string> columns, bool meta, int threads, int64_t memory_budget) {
  options.k = k;
  options.where = std::move(where);
  options.columns = std::move(columns);
  options.with_meta = meta;
  options.threads = threads;
  options.memory_budget = memory_budget;
}

Rows Text(const Snapshot& snapshot, const std::string& query, int64_t k, std::string where,
          std::vector<std::string> columns, bool meta, int threads, int64_t memory_budget) {
  SearchOptions options;
  FillOptions(options, k, std::move(where), std::move(columns), meta, threads, memory_budget);
  TextSearchReport report;
  auto rows = ValueOrThrow(SearchText(snapshot, query, options, &report));
  return Rows(std::move(rows), std::move(report));
}

VectorMetric MetricFromName(const std::string& name) {
  if (name == "cosine") return VectorMetric::kCosine;
  if (name == "l2") return VectorMetric::kL2;
  if (name == "dot" || name == "dot_product") return VectorMetric::kDot;
  throw StatusException(arrow::Status::Invalid("metric '", name, "': must be cosine, l2 or dot"));
}

Rows Vector(const Snapshot& snapshot, std::vector<double> queries, int64_t dim, std::string column,
            const std::string& metric, std::optional<double> radius, int64_t k, std::string where,
            std::vector<std::string> columns, bool meta, int threads, int64_t memory_budget) {
  VectorSearchOptions options;
  FillOptions(options, k, std::move(where), std::move(columns), meta, threads, memory_budget);
  options.column = std::move(column);
  options.metric = MetricFromName(metric);
  options.radius = radius;
  VectorSearchReport report;
  auto rows = ValueOrThrow(SearchVector(snapshot, {std::move(queries), dim}, options, &report));
  return Rows(std::move(rows), std::move(report));
}

}  // namespace

void BindSearch(nb::module_& module) {
  using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Rows>(module, "Rows")
      .def("__arrow_c_schema__", &Rows::Schema)
      .def(
          "__arrow_c_stream__", [](const Rows& rows, const nb::object&) { return rows.Stream(); },
          "requested_schema"_a = nb::none())
      .def("report", &Rows::report);
  module.def("search_text", &Text, "snapshot"_a, "query"_a, nb::kw_only(), "k"_a, "where"_a,
             "columns"_a, "meta"_a, "threads"_a, "memory_budget"_a, ReleaseGil());
  module.def("search_vector", &Vector, "snapshot"_a, "queries"_a, "dim"_a, nb::kw_only(),
             "column"_a, "metric"_a, "radius"_a.none(), "k"_a, "where"_a, "columns"_a, "meta"_a,
             "threads"_a, "memory_budget"_a, ReleaseGil());
}

}  // namespace firth::python
