#pragma once

namespace snapviewer {

/// A number with so many decimals, at most 9: rounded as it is written in decimal, halves to the even digit.
double rounded(double value, int decimals);

}  // namespace snapviewer
