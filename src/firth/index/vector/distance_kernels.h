// SPDX-License-Identifier: Apache-2.0
// Float32 distances of queries to many rows: the inner loops of exact search. A scalar reference
// and one source per instruction set; which one runs is chosen once per process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "firth/common/cpu.h"

namespace firth {

/// Queries that the *_block kernels take at once: each row is loaded once for all of them.
inline constexpr size_t kQueryBlock = 4;

/// One level's kernels. Rows lie one after the other without gaps: `rows` is [num_rows * dim].
/// Any alignment; dim and num_rows may be 0. Nothing outside the arrays is read.
///
/// The order of summation is free, so levels differ in the last bits. What holds for all of them:
/// l2_squared and norm_squared have a relative error of at most (dim + 3) * 2^-24, a dot product an
/// absolute error of at most (dim + 3) * 2^-24 * sum |q_i x_i|, each plus dim * 2^-149 where terms
/// underflow. A result is finite only if every element is; it may overflow although they are.
struct DistanceKernels {
  SimdLevel level;

  /// out[r] = sum over i of (query[i] - rows[r][i])^2. query: [dim], out: [num_rows].
  void (*l2_squared)(const float* query, const float* rows, size_t num_rows, size_t dim,
                     float* out);
  /// dots[r] = sum of query[i] * rows[r][i] and norms[r] = sum of rows[r][i]^2, in one pass.
  void (*dot_and_norm)(const float* query, const float* rows, size_t num_rows, size_t dim,
                       float* dots, float* norms);
  /// out[r] = sum of rows[r][i]^2.
  void (*norm_squared)(const float* rows, size_t num_rows, size_t dim, float* out);

  /// The same for kQueryBlock queries [kQueryBlock * dim]; out[q * num_rows + r].
  void (*l2_squared_block)(const float* queries, const float* rows, size_t num_rows, size_t dim,
                           float* out);
  void (*dot_block)(const float* queries, const float* rows, size_t num_rows, size_t dim,
                    float* out);

  /// Rounds [count] elements to float32; a double beyond its range becomes infinite.
  void (*floats_from_int8)(const int8_t* in, size_t count, float* out);
  void (*floats_from_double)(const double* in, size_t count, float* out);
};

/// What this CPU can run, scalar first, fastest last.
std::span<const DistanceKernels> AvailableDistanceKernels();

/// The fastest that MaxSimdLevel() allows. Take the reference once per query, outside the loop.
const DistanceKernels& BestDistanceKernels();

}  // namespace firth
