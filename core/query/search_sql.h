#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/search.h"
#include "core/timeline/timeline.h"

namespace snapviewer::query {

/// Returns a query for the allocations of one device that match all `terms`, largest first: the same allocations that
/// find_terms() finds. `terms` has at least one term and comes from parse_search(); `timeline` belongs to the device. Fails
/// if the query would be too long to read.
Result<std::string> search_sql(const std::vector<SearchTerm>& terms, const Timeline& timeline, std::size_t device_index);

}  // namespace snapviewer::query
