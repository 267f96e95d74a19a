// SPDX-License-Identifier: Apache-2.0
#include "firth/common/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>

namespace firth {

spdlog::logger& Logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("firth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("FIRTH_LOG");
    made.set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::warn);
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    return made;
  }();
  return logger;
}

}  // namespace firth
