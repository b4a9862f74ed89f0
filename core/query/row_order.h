#pragma once

#include <cstdint>
#include <vector>

#include "core/query/table.h"

namespace snapviewer {

/// Sorts row numbers by an integer column, keeping the order of equal values. NULL comes first, or last if descending, as in
/// SQLite. O(rows).
void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending);

}  // namespace snapviewer
