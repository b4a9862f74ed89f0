#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/query/database.h"

namespace snapviewer {

/// Creates one database over two files, A and B. A name without a schema refers to A, including the tables of a profiler's
/// own file. Every table and table function that we describe also exists as a.NAME for A and as b.NAME for B. The tables of
/// a profiler's own file in B, and the views of them, are not available. Limits and stop requests work as in any Database.
/// set_allocs_device() applies to A; `b.allocs` always shows the device with the index `allocs_device_b`. `file_b` is the
/// name of B in the schema. Shares ownership of both snapshots and reads them in place. Takes as long as opening two
/// databases.
Result<std::shared_ptr<Database>> join_databases(const Database& a, const Database& b, const std::string& file_b,
                                                 std::size_t allocs_device_b);

}  // namespace snapviewer
