// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/partition_pruning.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "firth/read/partition_values.h"

namespace firth {
namespace {

namespace cp = arrow::compute;

// Whether a path's text reads back as exactly the value that was written. The default partition
// ("default" in old tables) stands for null and for the empty string alike.
bool ReadsBack(const arrow::Scalar& value) {
  if (!value.is_valid) return false;
  switch (value.type->id()) {
    case arrow::Type::STRING:
      return static_cast<const arrow::StringScalar&>(value).view() != "default";
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
    case arrow::Type::BOOL:
      return true;
    default:
      return false;
  }
}

// first <= column < end, as far as the column's type reaches; nothing for one that is no integer.
std::optional<cp::Expression> InRange(const arrow::Field& column,
                                      const PartitionTimes::Range& values) {
  const auto compared = [&](auto compare, int64_t bound) -> std::optional<cp::Expression> {
    const auto scalar = arrow::Int64Scalar(bound).CastTo(column.type());
    if (!scalar.ok()) return std::nullopt;
    return compare(cp::field_ref(column.name()), cp::literal(*scalar));
  };
  if (column.type()->id() != arrow::Type::INT32 && column.type()->id() != arrow::Type::INT64) {
    return std::nullopt;
  }
  const auto low = compared(cp::greater_equal, values.first);
  const auto high = compared(cp::less, values.end);
  return low && high ? std::optional(cp::and_(*low, *high)) : std::nullopt;
}

// Whether a segment may or may not be `<field>=<value>`: the table does not say.
bool IsAmbiguous(const TableConfig& config, std::string_view partition, const std::string& field) {
  return HiveStyleOf(config) == HiveStyle::kUnknown &&
         (partition.starts_with(field + "=") ||
          partition.find("/" + field + "=") != std::string_view::npos);
}

bool FilterNamesAPartitionField(const TableConfig& config, const cp::Expression& filter) {
  for (const arrow::FieldRef& ref : cp::FieldsInExpression(filter)) {
    const std::string* name = ref.name();
    if (name != nullptr &&
        std::ranges::find(config.partition_fields, *name) != config.partition_fields.end()) {
      return true;
    }
  }
  return false;
}

}  // namespace

PartitionPruner::PartitionPruner(const TableConfig& config, std::shared_ptr<arrow::Schema> schema,
                                 cp::Expression filter)
    : config_(config),
      schema_(std::move(schema)),
      filter_(std::move(filter)),
      times_(config),
      usable_(!config.slash_separated_dates && FilterNamesAPartitionField(config, filter_)) {}

// What the text of a field says about the column of every row; nothing when it cannot be told.
std::optional<cp::Expression> PartitionPruner::Guarantee(size_t field, std::string_view partition,
                                                         const std::string& text) const {
  const std::string& name = config_.partition_fields[field];
  const auto column = schema_->GetFieldByName(name);
  if (column == nullptr || IsAmbiguous(config_, partition, name)) return std::nullopt;
  const std::vector<bool>& is_time = config_.partition_is_timestamp;
  if (config_.key_generator == KeyGenerator::kTimestamp ||
      (field < is_time.size() && is_time[field])) {
    const auto values = times_.ValuesIn(text);
    return values ? InRange(*column, *values) : std::nullopt;
  }
  const auto value = ParsePartitionValue(text, column->type(), partition);
  if (!value.ok() || !ReadsBack(**value)) return std::nullopt;
  return cp::equal(cp::field_ref(name), cp::literal(*value));
}

bool PartitionPruner::MayMatch(std::string_view partition) const {
  if (!usable_) return true;
  const auto texts = PartitionTexts(config_, partition);
  if (!texts.ok()) return true;
  std::vector<cp::Expression> known;
  for (size_t i = 0; i < texts->size(); ++i) {
    if (auto guarantee = Guarantee(i, partition, (*texts)[i])) known.push_back(*guarantee);
  }
  if (known.empty()) return true;
  const auto guarantee = cp::and_(std::move(known)).Bind(*schema_);
  if (!guarantee.ok()) return true;
  const auto simplified = cp::SimplifyWithGuarantee(filter_, *guarantee);
  return !simplified.ok() || simplified->IsSatisfiable();
}

bool PartitionPruner::MayMatchFolder(std::string_view folder) const {
  if (!usable_ || config_.partition_fields.size() != 1) return true;
  const auto field = schema_->GetFieldByName(config_.partition_fields[0]);
  const bool one_folder =
      config_.url_encode || (field != nullptr && field->type()->id() != arrow::Type::STRING);
  return !one_folder || MayMatch(folder);
}

}  // namespace firth
