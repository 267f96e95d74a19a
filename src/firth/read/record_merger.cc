// SPDX-License-Identifier: Apache-2.0
#include "firth/record_merger.h"

#include <map>
#include <mutex>
#include <utility>

namespace firth {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const RecordMerger>, std::less<>> mergers;
};

Registry& GetRegistry() {
  static Registry registry;
  return registry;
}

}  // namespace

void RegisterRecordMerger(std::string name, std::shared_ptr<const RecordMerger> merger) {
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.mergers[std::move(name)] = std::move(merger);
}

std::shared_ptr<const RecordMerger> FindRecordMerger(std::string_view name) {
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.mergers.find(name);
  return found == registry.mergers.end() ? nullptr : found->second;
}

}  // namespace firth
