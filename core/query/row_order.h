#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/query/table.h"

namespace snapviewer {

/// Sorts row numbers by an integer column and keeps the first `at_most` of them. Stable. NULL sorts first, or last if
/// descending, as in SQLite. O(rows).
void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending,
               std::size_t at_most = std::numeric_limits<std::size_t>::max());

}  // namespace snapviewer
