#pragma once

#include <memory>
#include <vector>

#include "core/load/load.h"
#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

/// The rows that the allocations of a part came from, both parallel to them, as in BuiltPart.
struct AllocationRows {
    std::vector<std::int64_t> allocs;
    std::vector<std::int64_t> frees;
};

/// What the table knows of a block besides its life: attributes, process, accesses, C's stack and who freed it. `rows` is
/// parallel to the devices of the snapshot.
std::unique_ptr<DetailSource> make_details(std::shared_ptr<SqliteFile> file, DumpColumns columns, std::int64_t ns_per_unit,
                                           std::vector<AllocationRows> rows);

/// memory_events: the table under one spelling, whichever the file has, with the attributes as columns.
std::vector<SqlView> event_views(const DumpColumns& columns, std::int64_t ns_per_unit);

}  // namespace snapviewer::memscope
