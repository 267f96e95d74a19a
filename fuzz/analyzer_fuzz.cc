// SPDX-License-Identifier: Apache-2.0
// Differential: the analyzer's fast path against the reference, for any bytes and both policies.
#include <cstdlib>

#include "firth/index/text/analyzer.h"
#include "firth/testing/reference_analyzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  firth::AnalyzerOptions options;
  if (data[0] & 1) options.invalid_utf8 = firth::InvalidUtf8::kReplace;
  if (data[0] & 2) options.case_mapping = firth::CaseMapping::kNone;
  if (data[0] & 4) options.normalization = firth::Normalization::kNone;
  if (data[0] & 8) options.max_token_length = 7;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto expected = firth::testing::ReferenceAnalyze(text, options);
  const auto actual = (*firth::Analyzer::Make(options))->Analyze(text);
  if (actual.ok() != expected.has_value() || (expected && *actual != *expected)) std::abort();
  return 0;
}
