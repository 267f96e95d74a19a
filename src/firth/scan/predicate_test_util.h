// SPDX-License-Identifier: Apache-2.0
// What the tests of predicates share: a few rows, and what a predicate says of each.
#pragma once

#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/expression.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/scan/predicate.h"

namespace firth {

inline std::shared_ptr<arrow::RecordBatch> MakeBatch(const arrow::FieldVector& fields,
                                                     const std::vector<std::string>& json) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(arrow::json::ArrayFromJSONString(fields[i]->type(), json[i]).ValueOrDie());
  }
  const int64_t rows = arrays[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, std::move(arrays));
}

/// One letter a row: T, F or N (null); or the error.
inline std::string Evaluate(std::string_view where, const arrow::RecordBatch& batch) {
  static const Status initialized = arrow::compute::Initialize();
  if (!initialized.ok()) return initialized.ToString();
  Result<arrow::compute::Expression> parsed = ParsePredicate(where, *batch.schema());
  if (!parsed.ok()) return parsed.status().message();
  Result<arrow::compute::Expression> bound = parsed->Bind(*batch.schema());
  if (!bound.ok()) return "does not bind: " + bound.status().ToString();
  if (bound->type()->id() != arrow::Type::BOOL) return "is no condition";
  Result<arrow::Datum> value =
      arrow::compute::ExecuteScalarExpression(*bound, arrow::compute::ExecBatch(batch));
  if (!value.ok()) return "does not run: " + value.status().ToString();
  std::shared_ptr<arrow::Array> array =
      value->is_scalar() ? *arrow::MakeArrayFromScalar(*value->scalar(), batch.num_rows())
                         : value->make_array();
  const auto& booleans = static_cast<const arrow::BooleanArray&>(*array);
  std::string letters;
  for (int64_t i = 0; i < booleans.length(); ++i) {
    letters += booleans.IsNull(i) ? 'N' : booleans.Value(i) ? 'T' : 'F';
  }
  return letters;
}

//  row        0            1            2           3        4
//  id         1            2            3           null     -2147483648
//  big        1            9223372036854775807  -5  null     0
//  price      1.50         3.00         -0.01       null     99999999.99
//  f, d       0.5 / 0.5    NaN / NaN    -0.0 / 0.0  null     Infinity
//  name       'ann'        'Bob'        ''          null     'o''hara_%'
//  ok         true         false        null        true     false
//  day        2026-01-01   1969-12-31   2024-02-29  null     2026-01-31
//  at (UTC)   2026-01-01 12:00:00.500001 | 1969-12-31 23:59:59.999999 | 0 | null | 2026-01-31
//  local      the same without zone
//  bin        00ff         ''           ff          null     616263
//  s          {a: 1, in: {b: 'x'}}  {a: null, in: null}  {a: 3, in: {b: null}}  null  {a: 5, ..'y'}
//  tags       ["x"]        []           null        null     ["y", null]
inline const arrow::RecordBatch& Rows() {
  static const std::shared_ptr<arrow::RecordBatch> batch = MakeBatch(
      {arrow::field("id", arrow::int32()), arrow::field("big", arrow::int64()),
       arrow::field("price", arrow::decimal128(10, 2)), arrow::field("f", arrow::float32()),
       arrow::field("d", arrow::float64()), arrow::field("name", arrow::utf8()),
       arrow::field("ok", arrow::boolean()), arrow::field("day", arrow::date32()),
       arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("local", arrow::timestamp(arrow::TimeUnit::MILLI)),
       arrow::field("bin", arrow::binary()),
       arrow::field("s", arrow::struct_({arrow::field("a", arrow::int32()),
                                         arrow::field("in", arrow::struct_({arrow::field(
                                                                "b", arrow::utf8())}))})),
       arrow::field("tags", arrow::list(arrow::utf8())), arrow::field("select 1", arrow::int32())},
      {"[1, 2, 3, null, -2147483648]", "[1, 9223372036854775807, -5, null, 0]",
       R"(["1.50", "3.00", "-0.01", null, "99999999.99"])", "[0.5, NaN, -0.0, null, Inf]",
       "[0.5, NaN, 0.0, null, Inf]", R"(["ann", "Bob", "", null, "o'hara_%"])",
       "[true, false, null, true, false]", "[20454, -1, 19782, null, 20484]",
       "[1767268800500001, -1, 0, null, 1769817600000000]",
       "[1767268800500, -1, 0, null, 1769817600000]", R"(["\u0000x", "", "x", null, "abc"])",
       R"([{"a": 1, "in": {"b": "x"}}, {"a": null, "in": null}, {"a": 3, "in": {"b": null}}, null,
           {"a": 5, "in": {"b": "y"}}])",
       R"([["x"], [], null, null, ["y", null]])", "[10, 20, 30, 40, 50]"});
  return *batch;
}

}  // namespace firth
