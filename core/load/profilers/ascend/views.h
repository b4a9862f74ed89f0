#pragma once

#include <cstdint>
#include <vector>

#include "core/sqlite/attached_file.h"

namespace snapviewer::ascend {

/// The SQL view memory_details: OP_MEMORY as MindStudio Insight shows it, with names and in KB, ms and MB, and with times
/// since `first_ns`. Empty if the file has no table OP_MEMORY.
std::vector<SqlView> memory_views(SqliteFile& file, std::int64_t first_ns);

}  // namespace snapviewer::ascend
