// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/asked_keys.h"

#include <arrow/array/array_base.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace firth {
namespace {

namespace cp = arrow::compute;
using Keys = std::set<std::string>;

constexpr std::string_view kRecordKey = "_hoodie_record_key";

// Whether keys are made of the key column's values in ways that are known: writers that make keys
// themselves record no generator. A merger of the user's own may change values under a key.
bool HasKnownKeys(const TableConfig& config) {
  if (config.Get("hoodie.table.keygenerator.type").empty() &&
      config.Get("hoodie.table.keygenerator.class").empty()) {
    return false;
  }
  if (config.merge.mode == MergeMode::kCustom && config.merge.payload == PayloadKind::kNone) {
    return false;
  }
  switch (config.key_generator) {
    case KeyGenerator::kSimple:
    case KeyGenerator::kComplex:
    case KeyGenerator::kNonPartitioned:
    case KeyGenerator::kTimestamp:
    case KeyGenerator::kCustom:
      return config.record_key_fields.size() == 1;
    default:
      return false;
  }
}

// Finds the values of one column, or the keys that writers make of them.
class KeyFinder {
 public:
  /// @param label in front of the values, as an alternative to none; empty: there is no other
  KeyFinder(std::string column, std::string label, size_t max_values)
      : column_(std::move(column)), label_(std::move(label)), max_values_(max_values) {}

  std::optional<Keys> Find(const cp::Expression& filter) const {
    const cp::Expression::Call* call = filter.call();
    if (call == nullptr) return std::nullopt;
    const std::string& name = call->function_name;
    if (name == "and" || name == "and_kleene") return FindInAny(call->arguments);
    if (name == "or" || name == "or_kleene") return FindInAll(call->arguments);
    if (name == "is_in" && IsColumn(call->arguments[0])) return OfSet(*call);
    if (name != "equal") return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      const arrow::Datum* literal = call->arguments[1 - i].literal();
      if (!IsColumn(call->arguments[i]) || literal == nullptr || !literal->is_scalar()) continue;
      Keys keys;
      if (Add(*literal->scalar(), &keys)) return keys;
    }
    return std::nullopt;
  }

 private:
  bool IsColumn(const cp::Expression& expression) const {
    const arrow::FieldRef* ref = expression.field_ref();
    return ref != nullptr && ref->name() != nullptr && *ref->name() == column_;
  }

  std::optional<Keys> FindInAny(const std::vector<cp::Expression>& parts) const {
    for (const cp::Expression& part : parts) {
      if (std::optional<Keys> keys = Find(part)) return keys;
    }
    return std::nullopt;
  }

  std::optional<Keys> FindInAll(const std::vector<cp::Expression>& parts) const {
    Keys all;
    for (const cp::Expression& part : parts) {
      std::optional<Keys> keys = Find(part);
      if (!keys) return std::nullopt;
      all.merge(*std::move(keys));
      if (all.size() > 2 * max_values_) return std::nullopt;
    }
    return all;
  }

  std::optional<Keys> OfSet(const cp::Expression::Call& call) const {
    const auto* options = dynamic_cast<const cp::SetLookupOptions*>(call.options.get());
    if (options == nullptr || !options->value_set.is_array() ||
        static_cast<size_t>(options->value_set.length()) > max_values_) {
      return std::nullopt;
    }
    const std::shared_ptr<arrow::Array> values = options->value_set.make_array();
    Keys keys;
    for (int64_t i = 0; i < values->length(); ++i) {
      const auto value = values->GetScalar(i);
      if (!value.ok() || !Add(**value, &keys)) return std::nullopt;
    }
    return keys;
  }

  // False when it is not known how the value is written. With one key field, key generators write
  // its value alone or behind the field's name, depending on kind and release.
  bool Add(const arrow::Scalar& value, Keys* keys) const {
    if (!value.is_valid) return true;  // equal to nothing
    std::string text;
    switch (value.type->id()) {
      case arrow::Type::STRING:
        text = std::string(
            arrow::internal::checked_cast<const arrow::BaseBinaryScalar&>(value).view());
        break;
      case arrow::Type::INT32:
      case arrow::Type::INT64:
        text = value.ToString();
        break;
      default:
        return false;
    }
    if (!label_.empty()) keys->insert(label_ + (text.empty() ? "__empty__" : text));
    keys->insert(std::move(text));
    return true;
  }

  const std::string column_;
  const std::string label_;
  const size_t max_values_;
};

}  // namespace

std::optional<Keys> AskedKeys(const TableConfig& config, const cp::Expression& filter,
                              size_t max_values) {
  if (!config.has_meta_fields) return std::nullopt;
  if (auto keys = AskedValues(std::string(kRecordKey), filter, max_values)) return keys;
  if (!HasKnownKeys(config)) return std::nullopt;
  const std::string& field = config.record_key_fields[0];
  return KeyFinder(field, field + ":", max_values).Find(filter);
}

std::optional<Keys> AskedValues(const std::string& column, const cp::Expression& filter,
                                size_t max_values) {
  return KeyFinder(column, /*label=*/"", max_values).Find(filter);
}

}  // namespace firth
