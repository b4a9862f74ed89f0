#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

/// The one table of msMemScope as it stands in the file: a row an event. Times are nanoseconds since the Unix epoch,
/// whatever the file counts in.
namespace snapviewer::memscope {

inline constexpr std::int64_t k_day_ns = 86'400'000'000'000;

inline constexpr std::int64_t k_no_ns = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t k_below_all = k_no_ns;  ///< in place of the row of what no row tells of
inline constexpr std::int32_t k_no_device = -1;       ///< "N/A": the row does not say which
inline constexpr std::int32_t k_host = -2;            ///< "cpu", or "host" as older versions say

constexpr std::int64_t us_of(std::int64_t time_ns) { return time_ns == k_no_ns ? k_no_time : time_ns / 1000; }

/// Columns by what they hold, spelled as in the file; NULL for those it lacks.
struct DumpColumns {
    std::string table;
    std::string row, event, type, name, time, process, thread, device, address, attributes, python_stack, c_stack;
    std::int64_t ns_per_unit = 1;  ///< as the name of the column of times has it
};
/// nullopt where the file lacks the table, or the table what would make it one of events.
std::optional<DumpColumns> find_dump(SqliteFile& file);

/// A MALLOC or a FREE.
struct Change {
    std::int64_t time_ns = 0;
    std::int64_t row = 0;      ///< its number; 0 where rows have none, as those of views
    std::int64_t process = 0;  ///< 0 where the row does not say
    std::uint64_t address = 0;
    std::int64_t size_bytes = 0;   ///< never negative; 0 where the row does not say
    std::int64_t used_bytes = -1;  ///< of the allocator, after the event; -1 where the row does not say
    std::int64_t total_bytes = -1;
    std::int32_t device = k_no_device;
    std::uint16_t type = 0;  ///< index into Dump::types
    bool is_free = false;
    StackId stack;
    StringId owner;  ///< none() unless a MALLOC says
};

/// What rows that are neither memory nor access tell of: a moment, or an end of something that lasts.
enum class Activity : std::uint8_t { mstx, launch, kernel, operation };
enum class Phase : std::uint8_t { moment, start, end };
/// One such row.
struct Occurrence {
    std::int64_t time_ns = 0;
    std::int64_t row = 0;
    std::int64_t process = 0;  ///< 0 where the row does not say, as those of running kernels
    std::int64_t thread = 0;
    std::int32_t device = k_no_device;
    Activity activity = Activity::mstx;
    Phase phase = Phase::moment;
    StringId name;
    StringId task;  ///< stream and task of a kernel
};

/// The table, as far as something is made of it.
struct Dump {
    std::vector<std::string> types;       ///< "HAL", "PTA", ...
    std::vector<Change> changes;          ///< by time, at one moment as they stand
    std::vector<Occurrence> occurrences;  ///< likewise
    std::int64_t start_ns = k_no_ns;      ///< of everything recorded
    std::int64_t end_ns = k_no_ns;
    /// What a unit of the table's times is; not what the column's name says where that cannot be.
    std::int64_t ns_per_unit = 1;
};

/// One pass over the table. What cannot be drawn is counted in the log. Texts go into the snapshot.
Dump read_dump(SqliteFile& file, const DumpColumns& columns, Snapshot& snapshot);

}  // namespace snapviewer::memscope
