// SPDX-License-Identifier: Apache-2.0
// firth search text, firth search vector.
#include "firth/search.h"

#include <arrow/table.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/explain.h"

namespace firth::cli {
namespace {

using nlohmann::json;

// What both kinds of search take.
struct SearchArguments {
  TableArguments table;
  AsOf as_of;
  Resources resources;
  OutputArguments output;
  std::vector<std::string> columns;
  std::string where;
  bool meta = false, explain = false;
  int64_t k = 10;

  void AddTo(CLI::App* command);
  arrow::Status Fill(SearchOptions* options) const;
};

void SearchArguments::AddTo(CLI::App* command) {
  AddCount(command, "-k", &k, "rows wanted")->capture_default_str();
  AddColumns(command, &columns);
  command->add_option("--where", where, "only rows for which this holds, as in firth read")
      ->type_name("TEXT");
  as_of.AddTo(command);
  command->add_flag("--meta", meta, "the five _hoodie_* columns too, first");
  output.AddTo(command);
  AddExplain(command, &explain, "search, but print what was read and skipped instead of rows");
  resources.AddTo(command);
}

arrow::Status SearchArguments::Fill(SearchOptions* options) const {
  options->k = k;
  options->where = where;
  options->columns = columns;
  options->with_meta = meta;
  options->threads = resources.threads;
  ARROW_ASSIGN_OR_RAISE(options->memory_budget, resources.MemoryBudget(options->memory_budget));
  return arrow::Status::OK();
}

// The snapshot, once all that can be checked without it has been.
arrow::Result<Snapshot> PinFor(const SearchArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const OutputOptions output, arguments.output.Options(arguments.table.json));
  ARROW_RETURN_NOT_OK(ResolveFormat(output).status());
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  return arguments.as_of.Pin(table);
}

arrow::Status WriteResult(const SearchArguments& arguments, const arrow::Table& rows) {
  ARROW_ASSIGN_OR_RAISE(const OutputOptions output, arguments.output.Options(arguments.table.json));
  arrow::TableBatchReader reader(rows);
  return WriteRows(&reader, output);
}

// --- text ----------------------------------------------------------------------------------------

struct TextArguments : SearchArguments {
  std::string query;
  std::vector<std::string> text_columns;
  std::string combine = "or";
  bool phrase = false, prefix = false;
  int slop = 0;
  std::string fuzziness;
};

json FuzzinessOf(const std::string& text) {
  return text == "auto" ? json(text) : json(std::stoi(text));
}

// The query tree that the options stand for.
arrow::Result<std::string> QueryTree(const TextArguments& arguments) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(arguments.query)) {
    return UsageError("FTS_INVALID_UTF8_QUERY: QUERY is not well-formed UTF-8",
                      "encode it as UTF-8");
  }
  if (arguments.text_columns.empty()) {
    if (arguments.query.starts_with("{")) return arguments.query;
    return UsageError("search text needs --column, or a query tree in JSON as QUERY",
                      "add --column NAME");
  }
  if (arguments.query.starts_with("{") && json::accept(arguments.query)) {
    return UsageError("QUERY is a query tree in JSON, which names its columns itself",
                      "leave --column out");
  }
  json tree;
  if (arguments.text_columns.size() > 1) {
    if (arguments.phrase || arguments.prefix || !arguments.fuzziness.empty()) {
      return UsageError("--phrase, --prefix and --fuzziness search one column",
                        "give one --column, or write the query as a tree in JSON");
    }
    json columns = json::array();
    for (const std::string& column : arguments.text_columns) columns.push_back({{"name", column}});
    tree["multi_match"] = {{"query", arguments.query},
                           {"columns", std::move(columns)},
                           {"operator", arguments.combine}};
  } else if (arguments.phrase) {
    tree["phrase"] = {{"column", arguments.text_columns[0]},
                      {"query", arguments.query},
                      {"slop", arguments.slop}};
  } else if (arguments.prefix) {
    tree["prefix"] = {{"column", arguments.text_columns[0]}, {"value", arguments.query}};
  } else {
    tree["match"] = {{"column", arguments.text_columns[0]},
                     {"query", arguments.query},
                     {"operator", arguments.combine}};
    if (!arguments.fuzziness.empty()) tree["match"]["fuzziness"] = FuzzinessOf(arguments.fuzziness);
  }
  return tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

arrow::Status RunText(const TextArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string query, QueryTree(arguments));
  SearchOptions options;
  ARROW_RETURN_NOT_OK(arguments.Fill(&options));
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, PinFor(arguments));
  TextSearchReport report;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> rows,
                        SearchText(snapshot, query, options, &report));
  if (!arguments.explain) return WriteResult(arguments, *rows);
  std::vector<Counter> counters = {{"rows", "rows returned", rows->num_rows()},
                                   {"matches", "rows that match", report.matches},
                                   {"passes", "passes over the text", report.passes}};
  for (const TextSearchReport::Column& column : report.columns) {
    counters.push_back({column.name + ".records", column.name + ": rows", column.records});
    counters.push_back({column.name + ".tokens", column.name + ": words", column.tokens});
  }
  return PrintExplanation(std::move(counters), report.scan, arguments.table.json);
}

Verb AddText(CLI::App* search) {
  CLI::App* text = search->add_subcommand("text", "rows ranked by BM25, with their _score");
  text->footer(
      "Examples:\n"
      "  firth search text ./tickets \"payment declined\" --column body -k 20\n"
      "  firth search text ./tickets \"payment declined\" --column body --operator and\n"
      "  firth search text ./tickets "
      "'{\"and\":[{\"match\":{\"column\":\"body\",\"query\":\"card\"}},"
      "{\"not\":{\"match\":{\"column\":\"body\",\"query\":\"test\"}}}]}'");
  auto arguments = std::make_shared<TextArguments>();
  arguments->table.AddTo(text);
  text->add_option("QUERY", arguments->query, "words to find, or a query tree in JSON")->required();
  text->add_option("--column", arguments->text_columns,
                   "text column to search; several, separated by commas, are searched together")
      ->type_name("NAME")
      ->delimiter(',');
  CLI::Option* combine =
      text->add_option("--operator", arguments->combine, "rows hold any (or) or all (and) words")
          ->type_name("or|and")
          ->check(CLI::IsMember({"or", "and"}));
  CLI::Option* fuzziness =
      text->add_option("--fuzziness", arguments->fuzziness, "edits allowed in a word")
          ->type_name("0|1|2|auto")
          ->check(CLI::IsMember({"0", "1", "2", "auto"}));
  CLI::Option* phrase = text->add_flag("--phrase", arguments->phrase, "the words in this order")
                            ->excludes(combine)
                            ->excludes(fuzziness);
  text->add_option("--slop", arguments->slop, "with --phrase: words that may lie between")
      ->type_name("N")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""))
      ->needs(phrase);
  text->add_flag("--prefix", arguments->prefix, "QUERY is the beginning of a word")
      ->excludes(phrase)
      ->excludes(combine)
      ->excludes(fuzziness);
  arguments->AddTo(text);
  return {text, [arguments] { return RunText(*arguments); }};
}

// --- vector --------------------------------------------------------------------------------------

struct VectorArguments : SearchArguments {
  std::string column;
  std::string vector;   // JSON
  std::string queries;  // .npy
  std::string metric = "cosine";
  std::optional<double> radius;
};

arrow::Result<VectorQueries> ParseVector(const std::string& text) {
  const json parsed = json::parse(text, nullptr, false);
  const arrow::Status bad =
      UsageError("--vector is no JSON array of numbers", "write --vector '[0.1, -2, 3e-4]'");
  if (!parsed.is_array() || parsed.empty()) return bad;
  VectorQueries queries;
  for (const json& element : parsed) {
    if (!element.is_number()) return bad;
    queries.values.push_back(element.get<double>());
  }
  queries.dim = static_cast<int64_t>(queries.values.size());
  return queries;
}

VectorMetric MetricOf(const std::string& name) {
  if (name == "l2") return VectorMetric::kL2;
  if (name == "dot" || name == "dot_product") return VectorMetric::kDot;
  return VectorMetric::kCosine;
}

arrow::Status RunVector(const VectorArguments& arguments) {
  VectorSearchOptions options;
  ARROW_RETURN_NOT_OK(arguments.Fill(&options));
  options.column = arguments.column;
  options.metric = MetricOf(arguments.metric);
  options.radius = arguments.radius;
  options.number_queries = !arguments.queries.empty();
  ARROW_ASSIGN_OR_RAISE(const VectorQueries queries, arguments.queries.empty()
                                                         ? ParseVector(arguments.vector)
                                                         : ReadVectorQueries(arguments.queries));
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, PinFor(arguments));
  VectorSearchReport report;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> rows,
                        SearchVector(snapshot, queries, options, &report));
  if (!arguments.explain) return WriteResult(arguments, *rows);
  return PrintExplanation({{"rows", "rows returned", rows->num_rows()},
                           {"vectors", "rows searched", report.rows},
                           {"null_vectors", "  without a vector", report.null_vectors},
                           {"wrong_length", "  of another length", report.wrong_length},
                           {"not_finite", "  not finite", report.not_finite}},
                          report.scan, arguments.table.json);
}

Verb AddVector(CLI::App* search) {
  CLI::App* vector =
      search->add_subcommand("vector", "rows nearest to a vector, with their _distance");
  vector->footer(
      "Examples:\n"
      "  firth search vector ./docs --column emb --vector '[0.1, 0.2, 0.3]' -k 5\n"
      "  firth search vector ./docs --column emb --queries q.npy --metric l2 -o hits.parquet");
  auto arguments = std::make_shared<VectorArguments>();
  arguments->table.AddTo(vector);
  vector->add_option("--column", arguments->column, "the column with the vectors")
      ->type_name("NAME")
      ->required();
  auto* query = vector->add_option_group("query", "what to search for");
  query->add_option("--vector", arguments->vector, "one query, a JSON array of numbers")
      ->type_name("'[...]'");
  query
      ->add_option("--queries", arguments->queries,
                   "a NumPy file, one query a row; results carry the row's number in _query")
      ->type_name("FILE.npy");
  query->require_option(1);
  vector
      ->add_option("--metric", arguments->metric,
                   "cosine: 1 - cos; l2: Euclidean distance; dot: negative inner product")
      ->type_name("cosine|l2|dot")
      ->capture_default_str()
      ->check(CLI::IsMember({"cosine", "l2", "dot", "dot_product"}));
  vector
      ->add_option("--radius", arguments->radius,
                   "all rows at this distance or nearer, whatever -k says")
      ->type_name("DISTANCE");
  arguments->AddTo(vector);
  return {vector, [arguments] { return RunVector(*arguments); }};
}

}  // namespace

std::vector<Verb> AddSearchVerbs(CLI::App& app) {
  CLI::App* search = app.add_subcommand("search", "find rows by text or by vector, best first");
  search->require_subcommand(1);
  return {AddText(search), AddVector(search)};
}

}  // namespace firth::cli
