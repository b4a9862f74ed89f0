#pragma once

#include <cstdint>
#include <vector>

#include "core/sqlite/attached_file.h"

namespace snapviewer::ascend {

/// memory_details: OP_MEMORY as users of MindStudio Insight know it, with names and in KB, ms and MB, times
/// since `first_ns`. None without OP_MEMORY.
std::vector<SqlView> memory_views(SqliteFile& file, std::int64_t first_ns);

}  // namespace snapviewer::ascend
