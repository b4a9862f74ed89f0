#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/query/database.h"

namespace snapviewer {

/// Two databases as one: what has no schema in front is A's, tables of a profiler's own file included, and every table that
/// we describe is there as a.NAME and as b.NAME, also those that are called like functions. The tables of a profiler's file
/// of B and the views of them are not. Limits and stopping are those of any Database. set_allocs_device() is about A;
/// `b.allocs` shows the device `allocs_device_b`. Reads both snapshots in place, which it keeps. As quick as opening two.
Result<std::shared_ptr<Database>> join_databases(const Database& a, const Database& b, const std::string& file_b,
                                                 std::size_t allocs_device_b);

}  // namespace snapviewer
