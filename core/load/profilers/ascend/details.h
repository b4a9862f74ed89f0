#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/sqlite/sqlite_file.h"
#include "core/trace/profile_data.h"

namespace snapviewer::ascend {

/// Creates the source of an allocation's details: times and totals, the operations around it, its stack (for backward
/// operations the stack of the forward operation), shapes and kernels. `row_ids[device][allocation]` is the allocation's row
/// in OP_MEMORY, or 0 if it has none.
///
/// The operations are read once, in the background, when they are first needed. Until then the details contain a note about
/// this.
std::unique_ptr<DetailSource> make_details(std::shared_ptr<SqliteFile> file, std::vector<std::vector<std::int64_t>> row_ids);

}  // namespace snapviewer::ascend
