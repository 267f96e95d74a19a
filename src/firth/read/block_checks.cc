// SPDX-License-Identifier: Apache-2.0
#include "firth/read/block_checks.h"

#include <algorithm>

#include "firth/read/log_scan.h"
#include "firth/table/table_schema.h"

namespace firth {
namespace {

bool IsTime(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// From version 8 on a log file is one write's, which its name tells. Files from before an upgrade
// hold blocks of several writes.
bool MayHoldOtherWrites(const TableConfig& config) {
  const std::string_view initial = config.Get("hoodie.table.initial.version");
  return config.version < 8 || initial.empty() || initial.size() > 1 || initial < "8";
}

bool SameType(const AvroSchema& a, const AvroSchema& b);

bool SameField(const AvroField& a, const AvroField& b) {
  return a.name == b.name && SameType(*a.type, *b.type);
}

// Whether bytes of the one type are read the same as bytes of the other, nulls aside.
bool SameType(const AvroSchema& a, const AvroSchema& b) {
  int null = -1;
  const AvroSchema* x = AvroNonNull(a, &null);
  const AvroSchema* y = AvroNonNull(b, &null);
  if (x == nullptr) x = &a;
  if (y == nullptr) y = &b;
  return x->kind == y->kind && x->logical == y->logical && x->size == y->size &&
         x->precision == y->precision && x->scale == y->scale && x->dimension == y->dimension &&
         x->element_type == y->element_type && x->symbols == y->symbols &&
         std::ranges::equal(x->fields, y->fields, SameField) &&
         std::ranges::equal(x->types, y->types, [](const AvroSchemaPtr& p, const AvroSchemaPtr& q) {
           return SameType(*p, *q);
         });
}

bool Confirms(const AvroSchema& schema, const AvroField& field) {
  const AvroField* own = schema.FindField(field.name);
  return own != nullptr && SameType(*own->type, *field.type);
}

// Columns that every block may have and no schema of the table names.
bool IsMetaText(const AvroField& field) {
  int null = -1;
  const AvroSchema* type = AvroNonNull(*field.type, &null);
  return (IsMetaField(field.name) || field.name == "_hoodie_operation") && type != nullptr &&
         type->kind == AvroKind::kString;
}

// A field of `record` that `other` lacks, or nullptr.
const AvroField* FindLacking(const AvroSchema& record, const AvroSchema& other) {
  const auto lacking = std::ranges::find_if(record.fields, [&](const AvroField& field) {
    return !IsMetaField(field.name) && other.FindField(field.name) == nullptr;
  });
  return lacking == record.fields.end() ? nullptr : &*lacking;
}

}  // namespace

Status CheckBlockHeader(const ReadContext& context, const LogFile& log, const LogBlock& block) {
  const std::string_view instant = block.Get(LogHeaderKey::kInstantTime);
  if (!IsTime(instant)) return CorruptError("INSTANT_TIME is \"{}\"; must be digits", instant);
  if (block.type == LogBlockType::kCommand) return Status::OK();
  if (instant != log.instant && !MayHoldOtherWrites(context.config)) {
    return CorruptError("INSTANT_TIME is {}; the file is one of {}", instant, log.instant);
  }
  if (const auto partial = block.header.find(LogHeaderKey::kIsPartial);
      partial != block.header.end() && partial->second != "true" && partial->second != "false") {
    return CorruptError("IS_PARTIAL is \"{}\"; must be true or false", partial->second);
  }
  const std::vector<std::string> compacted = CompactedInstants(block);
  if (const auto bad = std::ranges::find_if_not(compacted, IsTime); bad != compacted.end()) {
    return CorruptError("COMPACTED_BLOCK_TIMES names \"{}\"; must be digits", *bad);
  }
  if (compacted.empty() && context.timeline.IsLogCompaction(instant)) {
    return CorruptError("{} is a log compaction; COMPACTED_BLOCK_TIMES is missing", instant);
  }
  return Status::OK();
}

Status CheckBlockSchema(const ReadContext& context, const AvroSchema& block,
                        std::string_view instant, bool partial) {
  const AvroSchemaPtr& table = context.schema.avro;
  if (table == nullptr || block.kind != AvroKind::kRecord) return Status::OK();
  const auto is_known = [&](const AvroField& field) {
    return IsMetaText(field) || Confirms(*table, field);
  };
  const bool has_all = partial || FindLacking(*table, block) == nullptr;
  if (has_all && std::ranges::all_of(block.fields, is_known)) return Status::OK();

  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr commit,
                        context.commit_schemas->Of(context.timeline, instant));
  for (const AvroField& field : block.fields) {
    if (is_known(field) || (commit && Confirms(*commit, field))) continue;
    return CorruptError(
        "column \"{}\" of the block's schema is in no schema of the table, or has "
        "another type there",
        field.name);
  }
  const AvroField* lacking = partial || !commit ? nullptr : FindLacking(*commit, block);
  if (lacking == nullptr) return Status::OK();
  return CorruptError("the block's schema lacks column \"{}\", which commit {} wrote",
                      lacking->name, instant);
}

}  // namespace firth
