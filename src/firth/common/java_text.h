// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace firth {

/// Java's Double.toString and Float.toString, which record keys, partition values and rewritten
/// columns go through: "1.0", "1.0E10", "NaN", "Infinity".
std::string JavaText(double value);
std::string JavaText(float value);

/// The double that Java reads from the float's text, which is how Hudi widens: 1.1f becomes 1.1.
double WidenAsJavaText(float value);

}  // namespace firth
