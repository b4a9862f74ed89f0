#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/sqlite/sqlite_file.h"
#include "core/trace/detail_source.h"

namespace snapviewer::ascend {

/// What the profile tells of an allocation: times and totals, the operations around it, its stack (for backward operations
/// that of the forward one), shapes and kernels. `row_ids[device][allocation]` is its row of OP_MEMORY, 0 for none.
///
/// The operations are read once, in the background, when first needed; until then the details say so.
std::unique_ptr<DetailSource> make_details(std::shared_ptr<SqliteFile> file, std::vector<std::vector<std::int64_t>> row_ids);

}  // namespace snapviewer::ascend
