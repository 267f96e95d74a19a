// SPDX-License-Identifier: Apache-2.0
// Reports as Python dictionaries; their keys are those of firth/report.py.
#pragma once

#include <nanobind/nanobind.h>

#include "firth/search.h"

namespace firth::python {

nanobind::dict ToDict(const ScanReport& report);
nanobind::dict ToDict(const TextSearchReport& report);
nanobind::dict ToDict(const VectorSearchReport& report);

}  // namespace firth::python
