// SPDX-License-Identifier: Apache-2.0
// The JSON form of the query tree.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "firth/index/text/edit_distance.h"
#include "firth/index/text/fts_error.h"
#include "firth/index/text/text_query.h"

namespace firth {
namespace {

using Json = nlohmann::json;

// A node of the tree is two levels of JSON, a leaf up to four.
constexpr int kMaxJsonDepth = 2 * kMaxTextQueryDepth + 4;
// Room for query text of the greatest length written in escapes.
constexpr size_t kMaxJsonBytes = 8 * kMaxTextQueryBytes;

/// A value as it stands in messages: ASCII, and not much of it.
std::string Excerpt(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true).substr(0, 60);
}

/// Reads the fields of one JSON object and notices those that nobody asked for.
class Fields {
 public:
  Fields(std::string_view kind, const Json& object) : kind_(kind), object_(object) {}

  Status CheckObject() const {
    if (object_.is_object()) return Status::OK();
    return FtsError(kFtsBadQuery, "{} holds {}; must be an object", kind_, object_.type_name());
  }

  const Json* Find(const char* name) {
    used_.insert(name);
    const auto at = object_.find(name);
    return at == object_.end() ? nullptr : &*at;
  }
  Result<const Json*> Need(const char* name) {
    if (const Json* value = Find(name)) return value;
    return FtsError(kFtsBadQuery, "{} lacks \"{}\"", kind_, name);
  }
  Status Bad(const char* name, const Json& value, std::string_view allowed) const {
    return FtsError(kFtsBadOptionValue, "{} of {} is {}; must be {}", name, kind_, Excerpt(value),
                    allowed);
  }

  Status Text(const char* name, std::string* out) {
    ARROW_ASSIGN_OR_RAISE(const Json* value, Need(name));
    if (!value->is_string()) return Bad(name, *value, "a string");
    *out = value->get<std::string>();
    return Status::OK();
  }
  Status Number(const char* name, double* out) {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_number()) return Bad(name, *value, "a number");
    *out = value->get<double>();
    return Status::OK();
  }
  Status Integer(const char* name, int64_t low, int64_t high, int64_t* out) {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(high)) ||
        value->get<int64_t>() < low || value->get<int64_t>() > high) {
      return Bad(name, *value, fmt::format("{} to {}", low, high));
    }
    *out = value->get<int64_t>();
    return Status::OK();
  }
  Status Operator(TextOperator* out) {
    const Json* value = Find("operator");
    if (value == nullptr) return Status::OK();
    if (!value->is_string()) return Bad("operator", *value, "OR or AND");
    return ParseTextOperator(value->get<std::string>()).Value(out);
  }
  Status Fuzzy(FuzzyOptions* out) {
    if (const Json* value = Find("fuzziness")) {
      const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
      ARROW_ASSIGN_OR_RAISE(out->fuzziness, ParseFuzziness(text));
    }
    ARROW_RETURN_NOT_OK(
        Integer("prefix_length", 0, std::numeric_limits<int32_t>::max(), &out->prefix_length));
    return Integer("max_expansions", 1, 1024, &out->max_expansions);
  }

  Status CheckAllUsed() const {
    for (const auto& [name, value] : object_.items()) {
      if (!used_.contains(name)) {
        return FtsError(kFtsUnknownOption, "\"{}\" is no field of {}", name, kind_);
      }
    }
    return Status::OK();
  }

 private:
  std::string_view kind_;
  const Json& object_;
  std::set<std::string, std::less<>> used_;
};

Result<TextQuery> ReadNode(const Json& json);

Result<std::vector<TextQuery>> ReadList(std::string_view kind, const Json& json) {
  if (!json.is_array()) return FtsError(kFtsBadQuery, "{} must hold an array of queries", kind);
  std::vector<TextQuery> out;
  for (const Json& child : json) {
    ARROW_ASSIGN_OR_RAISE(TextQuery query, ReadNode(child));
    out.push_back(std::move(query));
  }
  return out;
}

Result<std::vector<TextQuery>> ReadOne(const Json& json) {
  ARROW_ASSIGN_OR_RAISE(TextQuery query, ReadNode(json));
  std::vector<TextQuery> out;
  out.push_back(std::move(query));
  return out;
}

Status ReadColumns(const Json& json, std::vector<MultiMatchQuery::Column>* out) {
  if (!json.is_array()) return FtsError(kFtsBadQuery, "columns of multi_match must be an array");
  for (const Json& item : json) {
    MultiMatchQuery::Column& column = out->emplace_back();
    if (item.is_string()) {  // short for {"name": ...}
      column.name = item.get<std::string>();
      continue;
    }
    Fields fields("a column of multi_match", item);
    ARROW_RETURN_NOT_OK(fields.CheckObject());
    ARROW_RETURN_NOT_OK(fields.Text("name", &column.name));
    ARROW_RETURN_NOT_OK(fields.Number("boost", &column.boost));
    ARROW_RETURN_NOT_OK(fields.CheckAllUsed());
  }
  return Status::OK();
}

Status ReadType(Fields& fields, MultiMatchType* out) {
  const Json* value = fields.Find("type");
  if (value == nullptr) return Status::OK();
  if (*value == "best_fields") {
    *out = MultiMatchType::kBestFields;
  } else if (*value == "most_fields") {
    *out = MultiMatchType::kMostFields;
  } else if (*value == "cross_fields") {
    *out = MultiMatchType::kCrossFields;
  } else {
    return fields.Bad("type", *value, "best_fields, most_fields or cross_fields");
  }
  return Status::OK();
}

Status Read(Fields& fields, MatchQuery* out) {
  ARROW_RETURN_NOT_OK(fields.Text("column", &out->column));
  ARROW_RETURN_NOT_OK(fields.Text("query", &out->query));
  ARROW_RETURN_NOT_OK(fields.Operator(&out->op));
  ARROW_RETURN_NOT_OK(fields.Fuzzy(&out->fuzzy));
  return fields.Number("boost", &out->boost);
}

Status Read(Fields& fields, PhraseQuery* out) {
  int64_t slop = 0;
  ARROW_RETURN_NOT_OK(fields.Text("column", &out->column));
  ARROW_RETURN_NOT_OK(fields.Text("query", &out->query));
  ARROW_RETURN_NOT_OK(fields.Integer("slop", 0, 65535, &slop));
  out->slop = static_cast<uint32_t>(slop);
  return fields.Number("boost", &out->boost);
}

Status Read(Fields& fields, MultiMatchQuery* out) {
  ARROW_RETURN_NOT_OK(fields.Text("query", &out->query));
  ARROW_ASSIGN_OR_RAISE(const Json* columns, fields.Need("columns"));
  ARROW_RETURN_NOT_OK(ReadColumns(*columns, &out->columns));
  ARROW_RETURN_NOT_OK(fields.Operator(&out->op));
  ARROW_RETURN_NOT_OK(ReadType(fields, &out->type));
  ARROW_RETURN_NOT_OK(fields.Number("tie_breaker", &out->tie_breaker));
  return fields.Number("boost", &out->boost);
}

Status Read(Fields& fields, PrefixQuery* out) {
  ARROW_RETURN_NOT_OK(fields.Text("column", &out->column));
  ARROW_RETURN_NOT_OK(fields.Text("value", &out->value));
  return fields.Number("boost", &out->boost);
}

Status Read(Fields& fields, FuzzyQuery* out) {
  ARROW_RETURN_NOT_OK(fields.Text("column", &out->column));
  ARROW_RETURN_NOT_OK(fields.Text("value", &out->value));
  ARROW_RETURN_NOT_OK(fields.Fuzzy(&out->fuzzy));
  return fields.Number("boost", &out->boost);
}

Status Read(Fields& fields, BoostQuery* out) {
  ARROW_ASSIGN_OR_RAISE(const Json* child, fields.Need("query"));
  ARROW_ASSIGN_OR_RAISE(out->child, ReadOne(*child));
  ARROW_RETURN_NOT_OK(fields.Need("factor").status());
  return fields.Number("factor", &out->factor);
}

Status Read(Fields& fields, ConstantQuery* out) {
  ARROW_ASSIGN_OR_RAISE(const Json* child, fields.Need("query"));
  ARROW_ASSIGN_OR_RAISE(out->child, ReadOne(*child));
  ARROW_RETURN_NOT_OK(fields.Need("score").status());
  return fields.Number("score", &out->score);
}

template <typename Node>
Result<TextQuery> ReadObject(std::string_view kind, const Json& body) {
  Fields fields(kind, body);
  ARROW_RETURN_NOT_OK(fields.CheckObject());
  Node node;
  ARROW_RETURN_NOT_OK(Read(fields, &node));
  ARROW_RETURN_NOT_OK(fields.CheckAllUsed());
  return TextQuery{std::move(node)};
}

/// Recursion is bounded: ParseJson refuses texts deeper than kMaxJsonDepth.
Result<TextQuery> ReadNode(const Json& json) {
  if (!json.is_object() || json.size() != 1) {
    return FtsError(kFtsBadQuery, "a query must be an object with one field, its kind");
  }
  const std::string& kind = json.begin().key();
  const Json& body = json.begin().value();
  if (kind == "match") return ReadObject<MatchQuery>(kind, body);
  if (kind == "phrase") return ReadObject<PhraseQuery>(kind, body);
  if (kind == "multi_match") return ReadObject<MultiMatchQuery>(kind, body);
  if (kind == "prefix") return ReadObject<PrefixQuery>(kind, body);
  if (kind == "fuzzy") return ReadObject<FuzzyQuery>(kind, body);
  if (kind == "boost") return ReadObject<BoostQuery>(kind, body);
  if (kind == "constant") return ReadObject<ConstantQuery>(kind, body);
  if (kind == "and") {
    ARROW_ASSIGN_OR_RAISE(auto children, ReadList(kind, body));
    return TextQuery{AndQuery{std::move(children)}};
  }
  if (kind == "or") {
    ARROW_ASSIGN_OR_RAISE(auto children, ReadList(kind, body));
    return TextQuery{OrQuery{std::move(children)}};
  }
  if (kind == "not") {
    ARROW_ASSIGN_OR_RAISE(auto child, ReadOne(body));
    return TextQuery{NotQuery{std::move(child)}};
  }
  return FtsError(kFtsBadQuery,
                  "{} is no kind of query; known are match, phrase, multi_match, prefix, fuzzy, "
                  "and, or, not, boost, constant",
                  Excerpt(kind));
}

/// What nlohmann's parser lets pass: nesting without end and keys given twice.
class ParseGuard {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        keys_.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get<std::string>()).second && !twice_) twice_ = parsed;
        break;
      default:
        break;
    }
    too_deep_ |= depth > kMaxJsonDepth;
    return !too_deep_;
  }
  Status Check() const {
    if (too_deep_) {
      return FtsError(kFtsQueryTooDeep, "query nests deeper than {} levels", kMaxTextQueryDepth);
    }
    if (twice_) return FtsError(kFtsBadQuery, "field {} is given twice", twice_->dump());
    return Status::OK();
  }

 private:
  std::vector<std::set<std::string>> keys_;
  std::optional<Json> twice_;
  bool too_deep_ = false;
};

Result<Json> ParseJson(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return FtsError(kFtsQueryTooLong, "query is {} bytes of JSON; may be {}", text.size(),
                    kMaxJsonBytes);
  }
  if (!IsWellFormedUtf8(text)) {
    return FtsError(kFtsInvalidUtf8Query, "query is not well-formed UTF-8");
  }
  ParseGuard guard;
  try {
    Json json = Json::parse(text, std::ref(guard));
    ARROW_RETURN_NOT_OK(guard.Check());
    return json;
  } catch (const Json::exception& error) {
    ARROW_RETURN_NOT_OK(guard.Check());
    const auto* parse = dynamic_cast<const Json::parse_error*>(&error);
    return FtsError(kFtsBadQuery, "query is not JSON; the error is at byte {}",
                    parse != nullptr ? parse->byte : 0);
  }
}

std::string_view TypeName(MultiMatchType type) {
  switch (type) {
    case MultiMatchType::kBestFields:
      return "best_fields";
    case MultiMatchType::kMostFields:
      return "most_fields";
    case MultiMatchType::kCrossFields:
      break;
  }
  return "cross_fields";
}

Json OperatorName(TextOperator op) { return op == TextOperator::kAnd ? "and" : "or"; }

void WriteFuzzy(const FuzzyOptions& options, Json* out) {
  const Fuzziness& f = options.fuzziness;
  if (!f.automatic) {
    (*out)["fuzziness"] = f.edits;
  } else if (f == Fuzziness{.automatic = true}) {
    (*out)["fuzziness"] = "auto";
  } else {
    (*out)["fuzziness"] = fmt::format("auto:{}:{}", f.low, f.high);
  }
  (*out)["prefix_length"] = options.prefix_length;
  (*out)["max_expansions"] = options.max_expansions;
}

struct Writer {
  Json operator()(const MatchQuery& q) const {
    Json body = {{"column", q.column},
                 {"query", q.query},
                 {"operator", OperatorName(q.op)},
                 {"boost", q.boost}};
    WriteFuzzy(q.fuzzy, &body);
    return {{"match", std::move(body)}};
  }
  Json operator()(const PhraseQuery& q) const {
    return {{"phrase",
             {{"column", q.column}, {"query", q.query}, {"slop", q.slop}, {"boost", q.boost}}}};
  }
  Json operator()(const MultiMatchQuery& q) const {
    Json columns = Json::array();
    for (const auto& column : q.columns) {
      columns.push_back({{"name", column.name}, {"boost", column.boost}});
    }
    return {{"multi_match",
             {{"query", q.query},
              {"columns", std::move(columns)},
              {"operator", OperatorName(q.op)},
              {"type", TypeName(q.type)},
              {"tie_breaker", q.tie_breaker},
              {"boost", q.boost}}}};
  }
  Json operator()(const PrefixQuery& q) const {
    return {{"prefix", {{"column", q.column}, {"value", q.value}, {"boost", q.boost}}}};
  }
  Json operator()(const FuzzyQuery& q) const {
    Json body = {{"column", q.column}, {"value", q.value}, {"boost", q.boost}};
    WriteFuzzy(q.fuzzy, &body);
    return {{"fuzzy", std::move(body)}};
  }
  Json operator()(const AndQuery& q) const { return {{"and", List(q.children)}}; }
  Json operator()(const OrQuery& q) const { return {{"or", List(q.children)}}; }
  Json operator()(const NotQuery& q) const { return {{"not", List(q.child).front()}}; }
  Json operator()(const BoostQuery& q) const {
    return {{"boost", {{"query", List(q.child).front()}, {"factor", q.factor}}}};
  }
  Json operator()(const ConstantQuery& q) const {
    return {{"constant", {{"query", List(q.child).front()}, {"score", q.score}}}};
  }
  Json List(const std::vector<TextQuery>& queries) const {
    Json out = Json::array();
    for (const TextQuery& query : queries) out.push_back(std::visit(*this, query.node));
    return out;
  }
};

}  // namespace

Result<TextQuery> ParseTextQuery(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(Json root, ParseJson(json));
  if (root.is_object() && root.contains("ast_version")) {
    if (root["ast_version"] != 1) {
      return FtsError(ErrorCode::kUnsupported, kFtsBadQuery, "ast_version is {}; this is 1",
                      Excerpt(root["ast_version"]));
    }
    root.erase("ast_version");
  }
  ARROW_ASSIGN_OR_RAISE(TextQuery query, ReadNode(root));
  return CanonicalTextQuery(std::move(query));
}

std::string TextQueryToJson(const TextQuery& canonical) {
  return std::visit(Writer(), canonical.node)
      .dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace firth
