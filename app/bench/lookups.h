#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/bench/distribution.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// A query that everyone asks, measured.
struct QueryFigures {
    std::string name, sql;
    std::size_t rows = 0;
    Distribution ms;
};

/// What is under the cursor, at 10,000 random points of the picture at any zoom, in microseconds each.
Distribution measure_pick(const Timeline& timeline, const Mesh& mesh);
/// The live set at 10,000 random ticks, in microseconds each.
Distribution measure_live_at(const Timeline& timeline);
/// The live allocations by stack at 10,000 random ticks, in microseconds each.
Distribution measure_live_totals(const Timeline& timeline);
/// A search that finds the commonest function, as often as it takes to tell, in milliseconds each.
Distribution measure_search(const Document& document, std::size_t device_index);
/// What is alive at the peak; whose stack contains the commonest function; the largest. As the window runs them.
Result<std::vector<QueryFigures>> measure_queries(const Document& document, std::size_t device_index);

}  // namespace snapviewer
