#pragma once

#include <vector>

#include "core/sqlite/attached_file.h"

namespace snapviewer::ascend {

/// memory_details: OP_MEMORY as users of MindStudio Insight know it, with names and in KB, ms and MB. None without
/// OP_MEMORY.
std::vector<SqlView> memory_views(SqliteFile& file);

}  // namespace snapviewer::ascend
