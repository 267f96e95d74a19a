// SPDX-License-Identifier: Apache-2.0
#include "firth/common/cpu.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "firth/common/log.h"

namespace firth {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"scalar", "neon", "avx2", "avx512",
                                                    "avx512_vnni"};

std::vector<SimdLevel> DetectLevels() {
  std::vector<SimdLevel> levels{SimdLevel::kScalar};
#if defined(__aarch64__)
  levels.push_back(SimdLevel::kNeon);  // part of the baseline of the architecture
#elif defined(__x86_64__)
  // These also check that the operating system saves the wide registers.
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))) {
    return levels;
  }
  levels.push_back(SimdLevel::kAvx2);
  if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))) {
    return levels;
  }
  levels.push_back(SimdLevel::kAvx512);
  if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    levels.push_back(SimdLevel::kAvx512Vnni);
  }
#endif
  return levels;
}

SimdLevel ChooseLevel() {
  const std::span<const SimdLevel> supported = SupportedSimdLevels();
  const char* wanted = std::getenv("FIRTH_SIMD");
  if (wanted == nullptr || *wanted == '\0') return supported.back();
  const std::optional<SimdLevel> level = ParseSimdLevel(wanted);
  if (level && std::ranges::find(supported, *level) != supported.end()) return *level;
  std::string allowed;
  for (const SimdLevel l : supported) allowed.append(" ").append(SimdLevelName(l));
  FIRTH_LOG(warn, "FIRTH_SIMD ignored value={} supported=[{} ]", wanted, allowed);
  return supported.back();
}

}  // namespace

std::string_view SimdLevelName(SimdLevel level) { return kNames[static_cast<size_t>(level)]; }

std::optional<SimdLevel> ParseSimdLevel(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<SimdLevel>(found - kNames.begin());
}

std::span<const SimdLevel> SupportedSimdLevels() {
  static const std::vector<SimdLevel> levels = DetectLevels();
  return levels;
}

SimdLevel MaxSimdLevel() {
  static const SimdLevel level = ChooseLevel();
  return level;
}

}  // namespace firth
