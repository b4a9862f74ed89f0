#pragma once

namespace snapviewer {

/// Rounds a number to `decimals` decimal places, at most 9, as if it were written in decimal. Ties round to the even digit.
double rounded(double value, int decimals);

}  // namespace snapviewer
