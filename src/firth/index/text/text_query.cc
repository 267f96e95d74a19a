// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/text_query.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "firth/index/text/edit_distance.h"
#include "firth/index/text/fts_error.h"

namespace firth {
namespace {

constexpr int64_t kMaxExpansions = 1024;
constexpr uint32_t kMaxSlop = 65535;

Status CheckFactor(std::string_view name, double value) {
  if (std::isfinite(value) && value > 0) return Status::OK();
  return FtsError(kFtsBadOptionValue, "{} is {}; must be a finite number above 0", name, value);
}

Status CheckFuzzy(const FuzzyOptions& options) {
  const Fuzziness& f = options.fuzziness;
  if (f.edits < 0 || f.edits > FuzzyPattern::kMaxEdits) {
    return FtsError(kFtsBadOptionValue, "fuzziness is {}; must be 0, 1, 2 or AUTO", f.edits);
  }
  if (f.automatic && !(0 < f.low && f.low < f.high)) {
    return FtsError(kFtsBadOptionValue, "fuzziness is AUTO:{}:{}; must have 0 < low < high", f.low,
                    f.high);
  }
  if (options.prefix_length < 0) {
    return FtsError(kFtsBadOptionValue, "prefix_length is {}; must be 0 or more",
                    options.prefix_length);
  }
  if (options.max_expansions < 1 || options.max_expansions > kMaxExpansions) {
    return FtsError(kFtsBadOptionValue, "max_expansions is {}; must be 1 to {}",
                    options.max_expansions, kMaxExpansions);
  }
  return Status::OK();
}

/// Rewrites a tree from the root down, with the product of the boosts above.
class Canonicalizer {
 public:
  Result<TextQuery> Rewrite(TextQuery query, double boost, int depth) {
    if (depth > kMaxTextQueryDepth) {
      return FtsError(kFtsQueryTooDeep, "query nests deeper than {} levels", kMaxTextQueryDepth);
    }
    return std::visit([&](auto& node) { return Visit(node, boost, depth); }, query.node);
  }

 private:
  Status CountLeaf(const std::string& text) {
    if (!IsWellFormedUtf8(text)) {
      return FtsError(kFtsInvalidUtf8Query, "query text is not well-formed UTF-8");
    }
    bytes_ += text.size();
    if (bytes_ > kMaxTextQueryBytes) {
      return FtsError(kFtsQueryTooLong, "query text is longer than {} bytes", kMaxTextQueryBytes);
    }
    if (++leaves_ > kMaxTextQueryClauses) {
      return FtsError(kFtsTooManyClauses, "query has more than {} clauses", kMaxTextQueryClauses);
    }
    return Status::OK();
  }

  /// Checks a leaf of one column and multiplies the boosts above into its own.
  template <typename Leaf>
  Result<TextQuery> FinishLeaf(Leaf& leaf, const std::string& text, double boost) {
    ARROW_RETURN_NOT_OK(CountLeaf(text));
    ARROW_RETURN_NOT_OK(CheckFactor("boost", leaf.boost));
    leaf.boost *= boost;
    ARROW_RETURN_NOT_OK(CheckFactor("boost", leaf.boost));
    return TextQuery{std::move(leaf)};
  }

  Result<TextQuery> Visit(MatchQuery& node, double boost, int) {
    ARROW_RETURN_NOT_OK(CheckFuzzy(node.fuzzy));
    return FinishLeaf(node, node.query, boost);
  }
  Result<TextQuery> Visit(PhraseQuery& node, double boost, int) {
    if (node.slop > kMaxSlop) {
      return FtsError(kFtsBadOptionValue, "slop is {}; must be 0 to {}", node.slop, kMaxSlop);
    }
    return FinishLeaf(node, node.query, boost);
  }
  Result<TextQuery> Visit(MultiMatchQuery& node, double boost, int) {
    if (node.columns.empty()) {
      return FtsError(kFtsBadQuery, "multi_match names no column");
    }
    std::set<std::string_view> names;
    for (const MultiMatchQuery::Column& column : node.columns) {
      ARROW_RETURN_NOT_OK(CheckFactor("boost of a column", column.boost));
      if (!names.insert(column.name).second) {
        return FtsError(kFtsBadQuery, "multi_match names column \"{}\" twice", column.name);
      }
    }
    if (!std::isfinite(node.tie_breaker) || node.tie_breaker < 0 || node.tie_breaker > 1) {
      return FtsError(kFtsBadOptionValue, "tie_breaker is {}; must be 0 to 1", node.tie_breaker);
    }
    return FinishLeaf(node, node.query, boost);
  }
  Result<TextQuery> Visit(PrefixQuery& node, double boost, int) {
    return FinishLeaf(node, node.value, boost);
  }
  Result<TextQuery> Visit(FuzzyQuery& node, double boost, int) {
    ARROW_RETURN_NOT_OK(CheckFuzzy(node.fuzzy));
    return FinishLeaf(node, node.value, boost);
  }

  template <typename Node>
  Result<TextQuery> VisitList(Node& node, std::string_view name, double boost, int depth) {
    if (node.children.empty()) return FtsError(kFtsBadQuery, "{} has no queries", name);
    Node out;
    for (TextQuery& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(TextQuery rewritten, Rewrite(std::move(child), boost, depth + 1));
      if (auto* same = std::get_if<Node>(&rewritten.node)) {
        std::ranges::move(same->children, std::back_inserter(out.children));
      } else {
        out.children.push_back(std::move(rewritten));
      }
    }
    return TextQuery{std::move(out)};
  }
  Result<TextQuery> Visit(AndQuery& node, double boost, int depth) {
    return VisitList(node, "and", boost, depth);
  }
  Result<TextQuery> Visit(OrQuery& node, double boost, int depth) {
    return VisitList(node, "or", boost, depth);
  }

  template <typename Node>
  Result<TextQuery> RewriteChild(Node& node, std::string_view name, double boost, int depth) {
    if (node.child.size() != 1) {
      return FtsError(kFtsBadQuery, "{} has {} queries; must have one", name, node.child.size());
    }
    return Rewrite(std::move(node.child.front()), boost, depth + 1);
  }
  Result<TextQuery> Visit(NotQuery& node, double boost, int depth) {
    ARROW_ASSIGN_OR_RAISE(TextQuery child, RewriteChild(node, "not", boost, depth));
    if (auto* inner = std::get_if<NotQuery>(&child.node)) return std::move(inner->child.front());
    NotQuery out;
    out.child.push_back(std::move(child));
    return TextQuery{std::move(out)};
  }
  Result<TextQuery> Visit(BoostQuery& node, double boost, int depth) {
    ARROW_RETURN_NOT_OK(CheckFactor("factor", node.factor));
    return RewriteChild(node, "boost", boost * node.factor, depth);
  }
  Result<TextQuery> Visit(ConstantQuery& node, double boost, int depth) {
    ConstantQuery out{.child = {}, .score = node.score * boost};
    ARROW_RETURN_NOT_OK(CheckFactor("score", node.score));
    ARROW_RETURN_NOT_OK(CheckFactor("score", out.score));
    // Boosts below a constant have no say in its score.
    ARROW_ASSIGN_OR_RAISE(TextQuery child, RewriteChild(node, "constant", 1, depth));
    out.child.push_back(std::move(child));
    return TextQuery{std::move(out)};
  }

  size_t bytes_ = 0;
  int leaves_ = 0;
};

Status CheckNegation(const TextQuery& query, bool below_and) {
  const auto is_not = [](const TextQuery& q) { return std::holds_alternative<NotQuery>(q.node); };
  const Status unbounded =
      FtsError(kFtsUnboundedNegation,
               "every \"not\" of a ranked query must stand in an \"and\" beside a positive query");
  if (const auto* node = std::get_if<NotQuery>(&query.node)) {
    return below_and ? CheckNegation(node->child.front(), false) : unbounded;
  }
  if (const auto* node = std::get_if<AndQuery>(&query.node)) {
    if (std::ranges::all_of(node->children, is_not)) return unbounded;
    for (const TextQuery& child : node->children) {
      ARROW_RETURN_NOT_OK(CheckNegation(child, true));
    }
  } else if (const auto* any = std::get_if<OrQuery>(&query.node)) {
    for (const TextQuery& child : any->children) {
      ARROW_RETURN_NOT_OK(CheckNegation(child, false));
    }
  } else if (const auto* constant = std::get_if<ConstantQuery>(&query.node)) {
    return CheckNegation(constant->child.front(), false);
  }
  return Status::OK();
}

}  // namespace

int Fuzziness::EditsFor(int64_t code_points) const {
  if (!automatic) return edits;
  return code_points < low ? 0 : (code_points < high ? 1 : 2);
}

Result<TextQuery> CanonicalTextQuery(TextQuery query) {
  return Canonicalizer().Rewrite(std::move(query), 1, 1);
}

Status CheckRankedTextQuery(const TextQuery& canonical) { return CheckNegation(canonical, false); }

}  // namespace firth
