#include "app/features/timeline/curve_samples.h"

#include <algorithm>

namespace snapviewer {

std::span<const ValueSpan> CurveSamples::of(const Curve& curve, Axis axis, const View& view, int columns) {
    Entry& entry = entries_[&curve];
    const auto count = static_cast<std::size_t>(std::max(columns, 1));
    if (entry.columns.size() == count && entry.axis == axis && entry.x_begin == view.x_begin && entry.x_end == view.x_end) {
        return entry.columns;
    }
    entry.axis = axis;
    entry.x_begin = view.x_begin;
    entry.x_end = view.x_end;
    entry.columns.assign(count, {});
    curve.sample(axis, view.x_begin, view.x_end, entry.columns);
    ValueSpan previous = entry.columns.front();
    for (ValueSpan& column : entry.columns) {
        const ValueSpan sampled = column;
        column.low = std::min(column.low, previous.high);
        column.high = std::max(column.high, previous.low);
        previous = sampled;
    }
    return entry.columns;
}

}  // namespace snapviewer
