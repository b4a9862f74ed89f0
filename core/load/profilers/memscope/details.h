#pragma once

#include <memory>
#include <vector>

#include "core/load/profilers/loaded_file.h"
#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

/// The row numbers of a part's allocations, parallel to them, as in BuiltPart.
struct AllocationRows {
    std::vector<std::int64_t> allocs;
    std::vector<std::int64_t> frees;
};

/// Creates the source of a block's details: attributes, process, accesses, C stack and the stack that freed it. Queries the
/// file on demand. `rows` is parallel to the devices of the snapshot.
std::unique_ptr<DetailSource> make_details(std::shared_ptr<SqliteFile> file, DumpColumns columns, std::int64_t ns_per_unit,
                                           std::vector<AllocationRows> rows);

/// The SQL view memory_events: the file's table with the same column names for every version of msMemScope, and with the
/// attributes as columns.
std::vector<SqlView> event_views(const DumpColumns& columns, std::int64_t ns_per_unit);

}  // namespace snapviewer::memscope
