#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/timeline/overlays.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Caches the range of values of each curve in each column of pixels. Recomputed only when the view, the axis or the number
/// of columns changes. The ranges of neighbouring columns touch, so that a drawn curve has no gaps; a jump between two
/// columns belongs to the later one.
class CurveSamples {
public:
    /// Returns the ranges of a curve. Valid until the next call for the same curve, or forget().
    std::span<const ValueSpan> of(const Curve& curve, Axis axis, const View& view, int columns);
    /// Clears the cache. Call before the curves are destroyed, because their addresses are the keys.
    void forget() { entries_.clear(); }

private:
    struct Entry {
        Axis axis = Axis::steps;
        double x_begin = 0, x_end = 0;
        std::vector<ValueSpan> columns;
    };
    std::map<const Curve*, Entry> entries_;
};

/// Calls draw(first column, one past the last, span) for each run of equal columns.
template <typename Draw>
void for_each_run(std::span<const ValueSpan> columns, Draw draw) {
    for (std::size_t begin = 0; begin < columns.size();) {
        std::size_t end = begin + 1;
        while (end < columns.size() && columns[end] == columns[begin]) ++end;
        draw(begin, end, columns[begin]);
        begin = end;
    }
}

}  // namespace snapviewer
