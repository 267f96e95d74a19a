// SPDX-License-Identifier: Apache-2.0
// The query tree of full-text search, version 1: what users ask, before any analyzer.
// docs/guide/search-text.md describes its JSON form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firth/common/status.h"

namespace firth {

enum class TextOperator : uint8_t { kOr, kAnd };
enum class MultiMatchType : uint8_t { kBestFields, kMostFields, kCrossFields };

/// How many edits a term may differ by: a number, or (`automatic`) one that grows with the term.
struct Fuzziness {
  bool automatic = false;
  int edits = 0;     ///< 0 to 2, when not automatic
  int64_t low = 3;   ///< automatic: shorter terms must be equal,
  int64_t high = 6;  ///< shorter ones than this may have one edit, longer ones two

  int EditsFor(int64_t code_points) const;
  bool operator==(const Fuzziness&) const = default;
};

/// How far a fuzzy term reaches.
struct FuzzyOptions {
  Fuzziness fuzziness;
  int64_t prefix_length = 0;    ///< code points at the front that must be equal
  int64_t max_expansions = 50;  ///< ranked search only: how many similar terms take part
  bool operator==(const FuzzyOptions&) const = default;
};

struct MatchQuery {
  std::string column;
  std::string query;
  TextOperator op = TextOperator::kOr;
  FuzzyOptions fuzzy;
  double boost = 1;
};
struct PhraseQuery {
  std::string column;
  std::string query;
  uint32_t slop = 0;
  double boost = 1;
};
struct MultiMatchQuery {
  struct Column {
    std::string name;
    double boost = 1;
  };
  std::string query;
  std::vector<Column> columns;
  TextOperator op = TextOperator::kOr;
  MultiMatchType type = MultiMatchType::kBestFields;
  double tie_breaker = 0;
  double boost = 1;
};
struct PrefixQuery {
  std::string column;
  std::string value;
  double boost = 1;
};
struct FuzzyQuery {
  std::string column;
  std::string value;
  FuzzyOptions fuzzy{.fuzziness = {.automatic = true}};
  double boost = 1;
};

struct TextQuery;
struct AndQuery {
  std::vector<TextQuery> children;
};
struct OrQuery {
  std::vector<TextQuery> children;
};
struct NotQuery {
  std::vector<TextQuery> child;  ///< exactly one
};
struct BoostQuery {
  std::vector<TextQuery> child;  ///< exactly one
  double factor = 1;
};
struct ConstantQuery {
  std::vector<TextQuery> child;  ///< exactly one
  double score = 1;
};

struct TextQuery {
  using Node = std::variant<MatchQuery, PhraseQuery, MultiMatchQuery, PrefixQuery, FuzzyQuery,
                            AndQuery, OrQuery, NotQuery, BoostQuery, ConstantQuery>;
  Node node;
};

inline constexpr int kMaxTextQueryDepth = 32;
inline constexpr int kMaxTextQueryClauses = 256;
inline constexpr size_t kMaxTextQueryBytes = size_t{1} << 20;

/// The canonical form: nested `and` and `or` of the same kind are flattened, double negation is
/// dropped, `boost` is multiplied into the leaves. Checks values and limits.
/// Errors: FTS_BAD_QUERY, FTS_BAD_OPTION_VALUE, FTS_QUERY_TOO_DEEP, FTS_QUERY_TOO_LONG,
/// FTS_TOO_MANY_CLAUSES, FTS_INVALID_UTF8_QUERY.
Result<TextQuery> CanonicalTextQuery(TextQuery query);

/// Refuses what cannot be ranked: every `not` must stand directly below an `and` that also has a
/// child of another kind. Errors: FTS_UNBOUNDED_NEGATION.
Status CheckRankedTextQuery(const TextQuery& canonical);

/// Reads the JSON form; the result is canonical. A top-level "ast_version" must be 1.
/// Errors: as CanonicalTextQuery, and FTS_UNKNOWN_OPTION for fields that do not exist.
Result<TextQuery> ParseTextQuery(std::string_view json);

/// JSON with every field present and sorted keys: equal bytes mean equal queries.
std::string TextQueryToJson(const TextQuery& canonical);

// The SQL functions. `options` is the text of their option argument, "operator=AND,fuzziness=1".
// Errors: FTS_UNKNOWN_OPTION, FTS_BAD_OPTION_VALUE, and those of CanonicalTextQuery.
Result<TextQuery> MakeMatchQuery(std::string column, std::string query, std::string_view options);
Result<TextQuery> MakePhraseQuery(std::string column, std::string query, int64_t slop);
Result<TextQuery> MakeMultiMatchQuery(std::string query, std::string_view options,
                                      const std::vector<std::string>& columns);

// Values of options, shared by both forms. Errors: FTS_BAD_OPTION_VALUE.
Result<TextOperator> ParseTextOperator(std::string_view text);
Result<Fuzziness> ParseFuzziness(std::string_view text);

}  // namespace firth
