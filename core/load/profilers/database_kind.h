#pragma once

#include <cstdint>
#include <string>

#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// What a program that we know writes into SQLite databases.
enum class DatabaseKind : std::uint8_t {
    memory_report,      ///< Skyline's or DeepView's report of what an iteration keeps
    run_time_report,    ///< Skyline's or DeepView's report of how long operations take
    ascend_profiler,    ///< the Ascend PyTorch Profiler's
    msprof,             ///< the same without what PyTorch adds
    insight_snapshot,   ///< what MindStudio Insight makes of a snapshot
    exported_snapshot,  ///< our own, made by `export`
    msmemscope,         ///< that of Ascend's msMemScope, called msLeaks before
    other,
};

/// Decided by the names of the tables, never by those of the file.
DatabaseKind database_kind(const SqliteFile& file);

/// What is known of a database of kind `other`, as a sentence for people: which program's it is and what it lacks.
std::string describe_other(const SqliteFile& file);

}  // namespace snapviewer
