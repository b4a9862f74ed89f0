#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/load/profilers/loaded_file.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// Durations of the parts of loading a file: opening it, and everything after that.
struct LoadTimings {
    double read_ms = 0;
    double parse_ms = 0;
};

/// Reads a file of any supported format, standard input (k_standard_input in core/base/addresses.h) or a file on
/// another machine (core/base/addresses.h). Recognises the format by the bytes, never by the name. Does not compute
/// what the file lacks, such as the allocations of a recording; complete_snapshot() (core/timeline) does. Never calls,
/// imports or writes anything that a file names. `part`, counted from 1, selects one of several consecutive pickles in a
/// file; other files have only part 1. `timings` may be null.
Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings = nullptr,
                             std::uint32_t part = 1);

/// Opens any SQLite database on this or another machine.
Result<std::shared_ptr<SqliteFile>> load_database(const std::string& path, Progress& progress);

}  // namespace snapviewer
