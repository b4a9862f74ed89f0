#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/search_terms.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A query whose rows are what find_terms() finds among the allocations of a device, largest first; `timeline` is of that
/// device. For terms, at least one, that parse_search() gave. Fails where it would be too long to read.
Result<std::string> search_sql(const std::vector<SearchTerm>& terms, const Timeline& timeline, std::size_t device_index);

}  // namespace snapviewer
