// SPDX-License-Identifier: Apache-2.0
// Failed statuses as exceptions of firth.errors. Only this edge throws.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>
#include <utility>

namespace firth::python {

/// Carries a failed status to the translator, which raises firth.errors.from_status.
class StatusException : public std::exception {
 public:
  explicit StatusException(arrow::Status status) : status_(std::move(status)) {}
  const arrow::Status& status() const { return status_; }

 private:
  arrow::Status status_;
};

inline void ThrowIfError(const arrow::Status& status) {
  if (!status.ok()) throw StatusException(status);
}

template <typename T>
T ValueOrThrow(arrow::Result<T> result) {
  ThrowIfError(result.status());
  return std::move(result).ValueUnsafe();
}

/// A message as Python text. Bytes of damaged files that it quotes need not be UTF-8.
nanobind::str MessageText(std::string_view message);

/// Installs the translator. Call once, before anything can throw.
void RegisterErrors();

}  // namespace firth::python
