#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sqlite/attached_file.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/detail_source.h"
#include "core/trace/icicle_rows.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The time that each part of reading a file took.
struct LoadTimings {
    double read_ms = 0;
    double parse_ms = 0;
};

/// Everything a file holds. Parts that a kind of file does not have are empty.
struct LoadedFile {
    std::shared_ptr<Snapshot> snapshot;  ///< Never null; uniquely owned. Has no devices if the file has no memory to draw.
    std::vector<IcicleRows> icicles;
    std::shared_ptr<DetailSource> details;
    std::vector<SqlView> views;           ///< ready-made questions to `databases`
    std::vector<AttachedFile> databases;  ///< where the file is one: its own tables are tables of ours, too
};

/// Reads any file we know, k_standard_input (core/base/standard_input.h) or a file on another machine
/// (core/base/remote_address.h), recognised by its bytes, never by its name.
/// What the file does not give itself, the allocations of a recording, complete_snapshot() (core/timeline) works out.
/// Nothing in a file can be called, imported or written. Of a file of several pickles one after another, `part` says which
/// to read, from 1; other files have no second part.
Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings = nullptr,
                             std::uint32_t part = 1);

/// Opens any SQLite database on this or another machine.
Result<std::shared_ptr<SqliteFile>> load_database(const std::string& path, Progress& progress);

}  // namespace snapviewer
