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

/// What the mouse and the search bar ask, measured.
struct LookupFigures {
    Distribution pick_us;         ///< what is under the cursor, at 10,000 random points of the picture at any zoom
    Distribution live_at_us;      ///< the live set at 10,000 random ticks
    Distribution live_totals_us;  ///< the live allocations by stack at 10,000 random ticks
    Distribution search_ms;       ///< all whose stack has the commonest function
};

LookupFigures measure_lookups(const Document& document, std::size_t device_index);
/// What is alive at the peak; whose stack contains the commonest function; the largest; sums by stack; and what needs every
/// row of a table. As the window runs them.
Result<std::vector<QueryFigures>> measure_queries(const Document& document, std::size_t device_index);

}  // namespace snapviewer
