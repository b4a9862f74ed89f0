#include "core/timeline/curve.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace snapviewer {
namespace {

/// Values that one entry of the lowest level of the pyramid covers, and entries that one of the next level covers.
constexpr std::size_t k_fan = 32;

constexpr ValueSpan k_nothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void include(ValueSpan& span, double low, double high) {
    span.low = std::min(span.low, low);
    span.high = std::max(span.high, high);
}

double low_of(double value) { return value; }
double high_of(double value) { return value; }
double low_of(const ValueSpan& span) { return span.low; }
double high_of(const ValueSpan& span) { return span.high; }

/// The extremes of each run of k_fan items.
template <typename Item>
std::vector<ValueSpan> extremes_of_runs(const std::vector<Item>& items) {
    std::vector<ValueSpan> out((items.size() + k_fan - 1) / k_fan, k_nothing);
    for (std::size_t i = 0; i < items.size(); ++i) include(out[i / k_fan], low_of(items[i]), high_of(items[i]));
    return out;
}

}  // namespace

Curve::Curve(CurveTitle title, std::vector<AxisPlace> places, std::vector<double> values)
    : title_(std::move(title)), places_(std::move(places)), values_(std::move(values)) {
    assert(places_.size() == values_.size());
    if (values_.size() > k_fan) pyramid_.push_back(extremes_of_runs(values_));
    while (!pyramid_.empty() && pyramid_.back().size() > k_fan) pyramid_.push_back(extremes_of_runs(pyramid_.back()));
    const ValueSpan all = values_.empty() ? ValueSpan{} : extremes(0, values_.size());
    lowest_ = all.low;
    highest_ = all.high;
}

/// Of values [first, last): runs that lie within as a whole come from the pyramid, one level up at a time.
ValueSpan Curve::extremes(std::size_t first, std::size_t last) const {
    ValueSpan span = k_nothing;
    const auto take = [&](const auto& items, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) include(span, low_of(items[i]), high_of(items[i]));
    };
    const auto climb = [&](const auto& items, bool is_top) {
        const std::size_t first_run = (first + k_fan - 1) / k_fan;
        const std::size_t last_run = last / k_fan;
        if (is_top || first_run >= last_run) {
            take(items, first, last);
            return false;
        }
        take(items, first, first_run * k_fan);
        take(items, last_run * k_fan, last);
        first = first_run;
        last = last_run;
        return true;
    };
    if (!climb(values_, pyramid_.empty())) return span;
    for (std::size_t level = 0; climb(pyramid_[level], level + 1 == pyramid_.size());) ++level;
    return span;
}

double Curve::at(Axis axis, double x) const {
    if (values_.empty()) return 0;
    const auto after = std::ranges::upper_bound(places_, x, {}, [axis](const AxisPlace& place) { return place.on(axis); });
    return values_[static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - places_.begin() - 1, 0))];
}

void Curve::sample(Axis axis, double x0, double x1, std::span<ValueSpan> columns) const {
    if (values_.empty()) {
        std::ranges::fill(columns, ValueSpan{});
        return;
    }
    const auto on_axis = [axis](const AxisPlace& place) { return place.on(axis); };
    const auto first_from = [&](double x) {
        return static_cast<std::size_t>(std::ranges::lower_bound(places_, x, {}, on_axis) - places_.begin());
    };
    const double width = (x1 - x0) / static_cast<double>(columns.size());
    std::size_t first = first_from(x0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const double begin = x0 + width * static_cast<double>(column);
        const double end = x0 + width * static_cast<double>(column + 1);  // as the next one's begin, to the last bit
        const std::size_t last = std::max(first, first_from(end));
        // What held when the column began, unless it ended there and then.
        const bool starts_anew = first < places_.size() && places_[first].on(axis) <= begin;
        const std::size_t from = first == 0 || starts_anew ? first : first - 1;
        columns[column] = from < last ? extremes(from, last) : ValueSpan{values_[from], values_[from]};
        first = last;
    }
}

}  // namespace snapviewer
