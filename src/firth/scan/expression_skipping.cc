// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/expression_skipping.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/read/prune.h"
#include "firth/scan/asked_keys.h"
#include "firth/scan/bloom_skipping.h"
#include "firth/scan/data_skipping.h"
#include "firth/scan/expression_ranges.h"
#include "firth/scan/predicate_functions.h"

namespace firth {
namespace {

namespace cp = arrow::compute;
using predicate::ColumnCall;

// Kinds of indexes.
constexpr std::string_view kBounds = "column_stats", kBloomFilters = "bloom_filters";
constexpr size_t kMaxValues = 1000;  // more of them are in most files anyway
constexpr size_t kMaxCalls = 100;    // each is compared with all others

// A call in the filter, and an index of its values.
struct IndexedCall {
  cp::Expression expression;
  ColumnCall call;
  const IndexDefinition* index;

  std::string Describe() const {
    return fmt::format("expression index {} of {}({})", index->name, call.function, call.column);
  }
};

bool IsExpressionIndex(std::string_view partition) {
  return ParseMetadataPartition(partition) == MetadataIndex::kExpressionIndex;
}

// Each call once, the first of them.
void FindCalls(const cp::Expression& expression, std::vector<cp::Expression>* calls) {
  const cp::Expression::Call* call = expression.call();
  if (call == nullptr || calls->size() == kMaxCalls) return;
  const auto is_same = [&](const cp::Expression& other) { return other.Equals(expression); };
  if (predicate::AsColumnCall(expression) && std::ranges::none_of(*calls, is_same)) {
    calls->push_back(expression);
  }
  for (const cp::Expression& argument : call->arguments) FindCalls(argument, calls);
}

// Whether the index has the values of the call: same function, column and constants.
bool IsOf(const IndexDefinition& index, const ColumnCall& call) {
  if (index.function != call.function || index.source_fields != std::vector{call.column}) {
    return false;
  }
  std::map<std::string, std::string, std::less<>> constants = index.options;
  for (const char* harmless : {"expr", "filtertype", "fpp", "maxentries", "numentries"}) {
    constants.erase(harmless);
  }
  if (call.function == "from_unixtime") constants.emplace("format", predicate::kDefaultPattern);
  return constants == decltype(constants)(call.parameters.begin(), call.parameters.end());
}

// The filter with a column of that name in place of the call.
cp::Expression Replace(const cp::Expression& filter, const cp::Expression& call,
                       const std::string& name) {
  if (filter.Equals(call)) return cp::field_ref(name);
  const cp::Expression::Call* outer = filter.call();
  if (outer == nullptr) return filter;
  std::vector<cp::Expression> arguments;
  for (const cp::Expression& argument : outer->arguments) {
    arguments.push_back(Replace(argument, call, name));
  }
  return cp::call(outer->function_name, std::move(arguments), outer->options);
}

// Whether rows can pass whose values of the call lie in `values`; `filter` has the index's name
// where the call was.
bool CanPass(const cp::Expression& filter, const IndexedCall& indexed, const ColumnRange& values) {
  return CanMatch(filter, [&](const std::string& column) {
    return column == indexed.index->name ? std::optional(values) : std::nullopt;
  });
}

// A value of a merged row is that of one of the files, or null where no file has it.
bool MayMatch(const cp::Expression& filter, const IndexedCall& indexed, const StatsByKey& stats,
              const FileSlice& slice, const arrow::DataType& type) {
  const std::string& column = indexed.call.column;
  return std::ranges::any_of(FileNames(slice), [&](std::string_view name) {
    const auto found = stats.find(ColumnStatsKey(column, slice.partition, name));
    if (found == stats.end() || found->second.file_name != name || found->second.column != column) {
      return true;
    }
    std::optional<ColumnRange> range = RangeInFile(indexed.call, found->second, type);
    if (!range) return true;
    if (!slice.logs.empty()) range->null_count = -1;
    const std::optional<ColumnRange> elsewhere = RangeOfSignedYears(indexed.call, *range);
    return CanPass(filter, indexed, *range) || (elsewhere && CanPass(filter, indexed, *elsewhere));
  });
}

// What an index rules out, or why it is not used.
struct Outcome {
  std::string doubt;
  std::function<bool(const FileSlice&)> rules_out;
};

Result<Outcome> ByBounds(const ReadContext& context, const MetadataTable& table,
                         const IndexedCall& indexed, const cp::Expression& filter,
                         const std::vector<FileSlice>& slices) {
  Outcome outcome{.doubt = std::string(DoubtOfBounds(indexed.call)), .rules_out = {}};
  if (!outcome.doubt.empty()) return outcome;
  const std::vector<std::string> keys = StatsKeysOf(context, slices, {indexed.call.column});
  ARROW_ASSIGN_OR_RAISE(StatsByKey stats,
                        LoadStats(table, indexed.index->name, keys, &outcome.doubt));
  const auto type = context.schema.full->GetFieldByName(indexed.call.column)->type();
  outcome.rules_out = [&context, indexed, filter, type,
                       stats = std::move(stats)](const FileSlice& slice) {
    return IsSkippable(context, slice) && !MayMatch(filter, indexed, stats, slice, *type);
  };
  return outcome;
}

// Why a filter can't be asked for `values` for certain; empty when it can. Texts beyond ASCII
// depend on the writer's character set and release of Unicode, and case on its language where the
// text that had its case changed is beyond ASCII: in Turkish I and i are no pair. Lower case of
// such a text can be ASCII if it has the Kelvin sign, upper case often.
std::string_view DoubtOfValues(const ColumnCall& call, const std::set<std::string>& values) {
  const auto has = [](const std::string& text, char c) { return text.find(c) != text.npos; };
  for (const std::string& value : values) {
    const bool ascii = std::ranges::all_of(value, [](unsigned char byte) { return byte < 0x80; });
    if (!ascii) return "filters may have other forms of texts beyond ASCII";
    if ((call.function == "lower" && has(value, 'i') && has(value, 'k')) ||
        (call.function == "upper" && has(value, 'I'))) {
      return "what becomes of the letter i depends on the writer's language";
    }
  }
  return "";
}

Result<Outcome> ByBloomFilters(const MetadataTable& table, const IndexedCall& indexed,
                               const cp::Expression& filter, const std::vector<FileSlice>& slices) {
  Outcome outcome;
  const auto& function = indexed.call.function;
  if (function != "lower" && function != "upper" && function != "trim" && function != "substring" &&
      function != "length") {
    outcome.doubt = "its values depend on the writer's time zone";
    return outcome;
  }
  const auto values = AskedValues(indexed.index->name, filter, kMaxValues);
  if (!values) {
    outcome.doubt = "the predicate asks for no certain values, or for too many";
    return outcome;
  }
  outcome.doubt = DoubtOfValues(indexed.call, *values);
  if (!outcome.doubt.empty()) return outcome;
  ARROW_ASSIGN_OR_RAISE(
      std::set<std::string> without,
      FiltersWithout(table, indexed.index->name, *values, slices, &outcome.doubt));
  outcome.rules_out = [without = std::move(without)](const FileSlice& slice) {
    return HasBloomFilter(slice) && without.contains(BloomFilterKeyOf(slice));
  };
  return outcome;
}

Status SkipByIndex(const ReadContext& context, const MetadataTable& table,
                   const IndexedCall& indexed, const cp::Expression& filter,
                   std::vector<FileSlice>* slices, ScanReport* report) {
  const cp::Expression renamed = Replace(filter, indexed.expression, indexed.index->name);
  ARROW_ASSIGN_OR_RAISE(const Outcome outcome,
                        indexed.index->type == kBounds
                            ? ByBounds(context, table, indexed, renamed, *slices)
                            : ByBloomFilters(table, indexed, renamed, *slices));
  if (!outcome.doubt.empty()) {
    report->notes.push_back(fmt::format("{} not used: {}", indexed.Describe(), outcome.doubt));
    return Status::OK();
  }
  const size_t before = slices->size();
  std::erase_if(*slices, outcome.rules_out);
  report->slices_pruned += static_cast<int64_t>(before - slices->size());
  report->notes.push_back(fmt::format("{}: {} of {} file slices skipped", indexed.Describe(),
                                      before - slices->size(), before));
  return Status::OK();
}

// The calls of the filter for which there are indexes that may be used.
std::vector<IndexedCall> FindIndexes(const std::vector<cp::Expression>& calls,
                                     const ReadContext& context,
                                     const IndexDefinitions& definitions) {
  const std::vector<std::string>& usable = context.config.metadata_partitions;
  std::vector<IndexedCall> found;
  for (const cp::Expression& expression : calls) {
    const ColumnCall call = *predicate::AsColumnCall(expression);
    if (!IsStored(context, call.column)) continue;
    for (const auto& [partition, index] : definitions) {
      const bool ready = std::ranges::find(usable, partition) != usable.end();
      const bool known = index.type == kBounds || index.type == kBloomFilters;
      // Its name stands for the call, see Replace.
      const bool is_column = context.schema.full->GetFieldIndex(partition) >= 0;
      if (ready && known && !is_column && IsExpressionIndex(partition) && IsOf(index, call)) {
        found.push_back({expression, call, &index});
      }
    }
  }
  return found;
}

}  // namespace

Status SkipByExpressionIndexes(const PinnedSnapshot& snapshot, const cp::Expression& filter,
                               int threads, std::vector<FileSlice>* slices, ScanReport* report) {
  const ReadContext& context = *snapshot.context;
  std::vector<cp::Expression> calls;
  FindCalls(filter, &calls);
  if (calls.empty() || slices->empty() ||
      std::ranges::none_of(context.config.metadata_partitions, IsExpressionIndex)) {
    return Status::OK();
  }
  const auto not_used = [&](std::string_view reason) {
    report->notes.push_back(fmt::format("expression indexes not used: {}", reason));
    return Status::OK();
  };
  // A name may have meant another column.
  if (!context.schema.history.empty()) return not_used("the table has a schema history");
  std::string reason;
  const auto definitions = snapshot.metadata->Definitions(snapshot);
  ARROW_RETURN_NOT_OK(DistrustOnError(definitions.status(), &reason));
  if (!reason.empty()) return not_used(reason);
  const std::vector<IndexedCall> indexes = FindIndexes(calls, context, **definitions);
  if (indexes.empty()) return not_used("none is of a function in the predicate");
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  for (const IndexedCall& indexed : indexes) {
    ARROW_RETURN_NOT_OK(SkipByIndex(context, *table, indexed, filter, slices, report));
  }
  return Status::OK();
}

}  // namespace firth
