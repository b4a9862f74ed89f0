#include "app/ui/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/number_text.h"

namespace snapviewer {
namespace {

/// Upper limit: larger doubles are inexact in bytes, and rounding them could overflow a 64-bit integer.
constexpr double k_largest = 9e18;

std::uint64_t whole(double magnitude) { return static_cast<std::uint64_t>(std::llround(std::min(magnitude, k_largest))); }

std::string number_text(double magnitude) {
    return magnitude >= 100 || magnitude == std::floor(magnitude) ? format_count(whole(magnitude))
                                                                  : fmt::format("{:.1f}", magnitude);
}

std::string magnitude_text(Unit unit, double magnitude) {
    switch (unit) {
        case Unit::bytes: return format_bytes(whole(magnitude));
        case Unit::bytes_per_second: return format_bytes(whole(magnitude)) + "/s";
        case Unit::packets_per_second: return number_text(magnitude) + " packets/s";
        case Unit::megahertz: return number_text(magnitude) + " MHz";
        case Unit::percent: return number_text(magnitude) + " %";
        case Unit::nanoseconds:
            return magnitude < 1000 ? number_text(magnitude) + " ns"
                                    : format_duration_us(static_cast<std::int64_t>(whole(magnitude / 1000)));
        case Unit::milliseconds: return format_duration_us(static_cast<std::int64_t>(whole(magnitude * 1000)));
        case Unit::count: return number_text(magnitude);
    }
    return "";
}

}  // namespace

std::string value_text(Unit unit, double value) {
    if (!std::isfinite(value)) return "not a number";
    return (value < 0 ? "-" : "") + magnitude_text(unit, std::abs(value));
}

}  // namespace snapviewer
