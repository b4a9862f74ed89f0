#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/document/document.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer::bench {

/// Statistics of repeated measurements; all zero if there are none.
struct Distribution {
    double median = 0, p95 = 0, max = 0;
    std::size_t count = 0;
};

Distribution distribution_of(std::vector<double> samples);

/// Measurements of one analysis of a device.
struct AnswerFigures {
    std::string name;
    /// True if computed once per device and cached, without the analyses that it depends on; false if computed at random
    /// moments.
    bool is_made_once = false;
    Distribution ms;
};

/// Measures every analysis of a device. None may have been computed before. Fails if an analysis fails.
Result<std::vector<AnswerFigures>> measure_answers(const Document& document, std::size_t device_index);

/// Measurements of a typical query.
struct QueryFigures {
    std::string name, sql;
    std::size_t rows = 0;
    Distribution ms;
};

/// Measurements of the lookups behind the mouse and the search bar.
struct LookupFigures {
    Distribution pick_us;  ///< finding the allocation under the cursor, at 10,000 random points of the picture at any zoom
    Distribution live_at_us;      ///< computing the live set at 10,000 random ticks
    Distribution live_totals_us;  ///< computing the live allocations by stack at 10,000 random ticks
    Distribution search_ms;       ///< finding all allocations whose stack contains the most common function
};

LookupFigures measure_lookups(const Document& document, std::size_t device_index);
/// Measures these queries in the same way as the window runs them: allocations alive at the peak, stacks with the most
/// common function, the largest allocations, sums by stack, and queries that read every row of a table.
Result<std::vector<QueryFigures>> measure_queries(const Document& document, std::size_t device_index);

/// A part of the walk: consecutive views that differ only a little.
struct WalkStop {
    std::string name;
    std::vector<View> views;
};

/// Plans the walk of `snapviewer_bench` through a picture: the whole picture; 12 stops that zoom in around the peak, down to
/// single steps (or microseconds); panning at three zoom levels; zooming out; and zooming towards the peak on a single axis.
std::vector<WalkStop> benchmark_walk(const Timeline& timeline, Axis axis);

}  // namespace snapviewer::bench
