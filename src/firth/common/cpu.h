// SPDX-License-Identifier: Apache-2.0
// Which vector instructions this process may use. Kernel families ask once and keep the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace firth {

/// A set of instructions that one kernel source is compiled for. Levels of one architecture are
/// ordered: each includes those in front of it.
enum class SimdLevel : uint8_t {
  kScalar,      ///< what the compiler's baseline allows; always there
  kNeon,        ///< aarch64 Advanced SIMD
  kAvx2,        ///< AVX2, FMA, BMI1 and BMI2
  kAvx512,      ///< AVX-512 F, BW, DQ, VL and CD, on top of kAvx2
  kAvx512Vnni,  ///< AVX-512 VBMI, VNNI and VPOPCNTDQ, on top of kAvx512
};

/// "scalar", "neon", "avx2", "avx512", "avx512_vnni".
std::string_view SimdLevelName(SimdLevel level);
std::optional<SimdLevel> ParseSimdLevel(std::string_view name);

/// Levels that this CPU and operating system can run, kScalar first, fastest last. FIRTH_SIMD has
/// no effect here: tests run all of them.
std::span<const SimdLevel> SupportedSimdLevels();

/// The fastest level that kernels may use: the last supported one, or the one that the environment
/// variable FIRTH_SIMD names. Names that are unknown, or not supported here, are ignored with one
/// warning. Read once per process.
SimdLevel MaxSimdLevel();

}  // namespace firth
