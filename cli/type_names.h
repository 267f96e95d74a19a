// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <string>

namespace firth::cli {

/// The type as Spark DDL writes it: bigint, decimal(10,2), array<string>, struct<a:int>,
/// map<string,double>, timestamp, timestamp_ntz, vector(8), vector(8, double). Types that Spark
/// lacks keep Arrow's name.
std::string SparkTypeName(const arrow::DataType& type);

}  // namespace firth::cli
