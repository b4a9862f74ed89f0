#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/bench/distribution.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

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

}  // namespace snapviewer
