// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_names.h"

#include <arrow/compute/expression.h>
#include <arrow/type.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "firth/table/table_schema.h"

namespace firth::predicate {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// The name nearest to a misspelt one, or "".
std::string NearestName(const arrow::FieldVector& fields, std::string_view name) {
  constexpr size_t kMaxNameBytes = 100;  // longer ones are no typing errors
  if (name.size() > kMaxNameBytes) return "";
  size_t best = std::min(std::max<size_t>(name.size() / 3, 1) + 1, name.size());
  std::string nearest;
  for (const auto& field : fields) {
    if (field->name().size() > kMaxNameBytes) continue;
    const size_t distance = EditDistance(Lower(field->name()), Lower(name));
    if (distance >= best) continue;
    best = distance;
    nearest = field->name();
  }
  return nearest;
}

bool IsMeta(const std::shared_ptr<arrow::Field>& field) { return IsMetaField(field->name()); }

// Meta columns stand first in a schema and come last here: they are what is meant least often.
std::string ListNames(arrow::FieldVector fields) {
  std::stable_partition(fields.begin(), fields.end(), std::not_fn(IsMeta));
  constexpr size_t kShown = 20;
  std::string list;
  for (size_t i = 0; i < std::min(fields.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + fields[i]->name();
  }
  if (fields.size() > kShown) list += fmt::format(" and {} more", fields.size() - kShown);
  return list;
}

Result<std::shared_ptr<arrow::Field>> FindField(const arrow::FieldVector& fields,
                                                std::string_view name, std::string_view what) {
  std::vector<std::shared_ptr<arrow::Field>> exact, folded;
  for (const auto& field : fields) {
    if (field->name() == name) exact.push_back(field);
    if (Lower(field->name()) == Lower(name)) folded.push_back(field);
  }
  if (exact.size() == 1) return exact.front();
  if (exact.empty() && folded.size() == 1) return folded.front();
  if (!folded.empty()) {
    return InvalidError("{} \"{}\" is ambiguous: {} fit", what, name, ListNames(folded));
  }
  const bool has_columns = std::ranges::any_of(fields, std::not_fn(IsMeta));
  if (what == "column" && !has_columns) {
    return InvalidError("no column \"{}\": nothing has been written yet, so there are no columns",
                        name);
  }
  const std::string nearest = NearestName(fields, name);
  return InvalidError("no {} \"{}\"; {}{}s are {}", what, name,
                      nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest), what,
                      fields.empty() ? "none" : ListNames(fields));
}

std::string_view WithoutBlanks(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

Result<std::shared_ptr<arrow::Field>> FindColumn(const arrow::Schema& schema,
                                                 std::string_view name) {
  if (auto field = schema.GetFieldByName(std::string(name))) return field;
  return FindField(schema.fields(), WithoutBlanks(name), "column");
}

Status ColumnPath::Descend(const arrow::Schema& schema, std::string_view name) {
  if (!names_.empty() && type_->id() != arrow::Type::STRUCT) {
    return InvalidError("\"{}\" has type {} and no field \"{}\"", this->name(), type_->ToString(),
                        name);
  }
  const arrow::FieldVector& fields = names_.empty() ? schema.fields() : type_->fields();
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Field> field,
                        FindField(fields, name, names_.empty() ? "column" : "field"));
  names_.push_back(field->name());
  type_ = field->type();
  return Status::OK();
}

std::string ColumnPath::name() const { return fmt::format("{}", fmt::join(names_, ".")); }

arrow::compute::Expression ColumnPath::expression() const {
  if (names_.size() == 1) return arrow::compute::field_ref(names_.front());
  return arrow::compute::field_ref(
      arrow::FieldRef(std::vector<arrow::FieldRef>(names_.begin(), names_.end())));
}

}  // namespace firth::predicate
