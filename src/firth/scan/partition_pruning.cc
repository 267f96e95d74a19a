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
      usable_(!config.slash_separated_dates && config.key_generator != KeyGenerator::kTimestamp &&
              FilterNamesAPartitionField(config, filter_)) {}

bool PartitionPruner::MayMatch(std::string_view partition) const {
  if (!usable_) return true;
  const auto values = PartitionConstants(config_, *schema_, partition);
  if (!values.ok()) return true;
  std::vector<cp::Expression> known;
  for (size_t i = 0; i < config_.partition_fields.size(); ++i) {
    const auto value = values->find(config_.partition_fields[i]);
    if (value == values->end() || !ReadsBack(*value->second)) continue;
    if (i < config_.partition_is_timestamp.size() && config_.partition_is_timestamp[i]) continue;
    known.push_back(cp::equal(cp::field_ref(value->first), cp::literal(value->second)));
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
