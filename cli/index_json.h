// SPDX-License-Identifier: Apache-2.0
// What the verbs that ask indexes print alike.
#pragma once

#include "cli/json_output.h"
#include "firth/index.h"

namespace firth::cli {

inline Json CostJson(const LookupCost& cost) {
  return {{"file_groups", cost.file_groups},
          {"blocks", cost.blocks},
          {"cache_hits", cost.cache_hits},
          {"bytes", cost.bytes},
          {"requests", cost.requests}};
}

}  // namespace firth::cli
