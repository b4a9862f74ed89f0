#include "core/analysis/rounded.h"

#include <array>
#include <charconv>

#include "core/base/number_text.h"

namespace snapviewer {

double rounded(double value, int decimals) {
    std::array<char, 400> text{};  // the largest double has 309 digits
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    double result = value;
    read_number({text.data(), written.ptr}, result);
    return result;
}

}  // namespace snapviewer
