// SPDX-License-Identifier: Apache-2.0
#include "firth/common/arrow_init.h"

#include <arrow/compute/initialize.h>

namespace firth {

Status InitializeArrow() {
  static const Status kStatus = arrow::compute::Initialize();
  return kStatus;
}

}  // namespace firth
