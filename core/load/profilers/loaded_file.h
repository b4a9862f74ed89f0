#pragma once

#include <memory>
#include <vector>

#include "core/sqlite/sqlite_file.h"
#include "core/trace/profile_data.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The contents of a file. Parts that a kind of file does not have are empty.
struct LoadedFile {
    std::shared_ptr<Snapshot> snapshot;  ///< Never null; uniquely owned. Has no devices if the file has no memory to draw.
    std::vector<IcicleRows> icicles;
    std::shared_ptr<DetailSource> details;
    std::vector<SqlView> views;           ///< Ready-made queries for `databases`
    std::vector<AttachedFile> databases;  ///< The file itself if it is a database, so that queries can use its own tables
};

}  // namespace snapviewer
