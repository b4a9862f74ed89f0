#include "core/analysis/lasting_growth.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace snapviewer {
namespace {

constexpr double k_least_lasting_bytes = 8 << 20;
constexpr double k_least_rising_pairs = 0.9;
constexpr double k_above_scatter = 4;

}  // namespace

double middle_number(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double middle_slope(const WindowFloors& floors) {
    std::vector<double> slopes;
    for (std::size_t a = 0; a < k_windows; ++a) {
        for (std::size_t b = a + 1; b < k_windows; ++b)
            slopes.push_back((static_cast<double>(floors.bytes[b]) - static_cast<double>(floors.bytes[a])) /
                             (floors.place[b] - floors.place[a]));
    }
    return middle_number(std::move(slopes));
}

std::optional<double> lasting_slope(const WindowFloors& floors) {
    const double slope = middle_slope(floors);
    std::size_t pairs = 0, rising = 0;
    for (std::size_t a = 0; a < k_windows; ++a) {
        for (std::size_t b = a + 1; b < k_windows; ++b, ++pairs) rising += floors.bytes[b] > floors.bytes[a] ? 1U : 0U;
    }
    std::vector<double> above_line;
    for (std::size_t i = 0; i < k_windows; ++i)
        above_line.push_back(static_cast<double>(floors.bytes[i]) - slope * (floors.place[i] - floors.place[0]));
    const double line_begins = middle_number(above_line);
    for (double& off : above_line) off = std::abs(off - line_begins);
    const double grown_bytes = slope * (floors.place.back() - floors.place.front());
    const bool lasts = static_cast<double>(rising) >= k_least_rising_pairs * static_cast<double>(pairs) &&
                       grown_bytes >= k_least_lasting_bytes && grown_bytes >= k_above_scatter * middle_number(above_line);
    return lasts ? std::optional(slope) : std::nullopt;
}

}  // namespace snapviewer
