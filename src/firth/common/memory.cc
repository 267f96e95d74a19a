// SPDX-License-Identifier: Apache-2.0
#include "firth/common/memory.h"

#include <arrow/memory_pool.h>

#include <cstdlib>

namespace firth {

// Arrow's own choice asks the kernel for huge pages. Batches are written once and live as long as
// the result, so nearly every page is a new one. On a virtual machine whose free memory goes back
// to the host in blocks of that size, each comes from the host again: finding and zeroing huge
// pages took longer than all decoding, small ones a fifth of it.
arrow::MemoryPool* BatchPool() {
  static arrow::MemoryPool* const kPool = std::getenv("ARROW_DEFAULT_MEMORY_POOL") == nullptr
                                              ? arrow::system_memory_pool()
                                              : arrow::default_memory_pool();
  return kPool;
}

}  // namespace firth
