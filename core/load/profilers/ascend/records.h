#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/hash.h"
#include "core/load/profilers/tables.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/profile_data.h"
#include "core/trace/snapshot.h"

/// The memory tables of the Ascend PyTorch Profiler, unprocessed. Times are nanoseconds since the Unix epoch.
namespace snapviewer::profilers::ascend {

inline constexpr std::int64_t k_no_ns = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int32_t k_no_device = -1;  ///< Rows without a device form a group of their own.

constexpr std::int64_t us_of(std::int64_t time_ns) { return time_ns / 1000; }

/// SQL condition for the rows of one device, such as "deviceId" IS 3. Always true for tables without a column of devices.
std::string of_device(const sqlite::SqliteFile& file, std::string_view table, std::int32_t device);

/// SQL condition that the column `type` contains the id of a word such as 'app' or 'release'. Looks the word up in the table
/// in which the file stores such words.
std::string is_type(const sqlite::SqliteFile& file, std::string_view word);

/// The allocator that a row belongs to.
enum class Component : std::uint8_t { pta, ge, pta_ge, workspace, unknown };
const char* component_name(Component component);  ///< Returns "PTA", "GE", "PTA+GE", "WORKSPACE" or "(unknown)".

/// A block: a drawable row of OP_MEMORY, or an allocation and its release in NPU_OP_MEM.
struct BlockRow {
    std::int64_t row_id = 0;
    std::int64_t name = 0;  ///< id of the operation's name, a key of Texts
    std::int64_t size_bytes = 0;
    std::int64_t alloc_ns = 0;
    std::int64_t release_ns = k_no_ns;  ///< Time at which the tensor was freed; k_no_ns unless it is later than alloc_ns.
    /// Time at which the block returned to the pool; k_no_ns unless it is later than alloc_ns.
    std::int64_t active_release_ns = k_no_ns;
    std::int64_t total_allocated = 0;  ///< total of the row's own allocator after the allocation
    std::uint64_t address = 0;
    std::int64_t stream = 0;
    bool has_stream = false;
    Component component = Component::unknown;

    std::int64_t end_ns() const { return active_release_ns != k_no_ns ? active_release_ns : release_ns; }
};

/// A row of MEMORY_RECORD: the totals of an allocator after one of its events.
struct TotalsRow {
    std::int64_t time_ns = 0;
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
    std::int64_t active = 0;
};

/// The memory of one device.
struct DeviceRows {
    std::vector<BlockRow> blocks;                  ///< blocks, sorted by alloc_ns
    std::array<std::vector<TotalsRow>, 4> totals;  ///< Totals, one list per Component except unknown, each sorted by time.
    std::vector<TotalsRow>& of(Component component) { return totals[static_cast<std::size_t>(component)]; }
};

/// A cache of texts from STRING_IDS. Contains only the requested ids, which are read in one pass.
class Texts {
public:
    void want(std::int64_t id) { wanted_.insert(id); }
    /// Reads the texts of all requested ids. If an id has several values, keeps the first.
    void read(sqlite::SqliteFile& file, Snapshot& snapshot);
    /// The text with this id; none() if the file does not contain it.
    StringId find(std::int64_t id) const;
    /// The text with this id; "(unknown)" or "#123" if the file does not contain it.
    std::string text(const Snapshot& snapshot, std::int64_t id) const;

private:
    std::unordered_set<std::int64_t, KeyedHash> wanted_;
    std::unordered_map<std::int64_t, StringId, KeyedHash> found_;
};

/// The contents of the memory tables, by device.
struct MemoryRows {
    std::map<std::int32_t, DeviceRows> devices;
    Texts texts;
    std::int64_t first_ns = 0;  ///< Earliest positive time in either table; 0 if there is none.
};

/// Reads OP_MEMORY and MEMORY_RECORD with all their texts. Rows that cannot be drawn are counted in the log.
MemoryRows read_memory_rows(sqlite::SqliteFile& file, Snapshot& snapshot);

// Checks of values from the memory tables, shared by their readers.

inline constexpr std::int64_t k_no_string = 4294967295;  // All bits set: an operation that could not be matched.

inline std::int32_t device_number(const sqlite::SqliteRows& rows, int column) {
    const auto number = whole_number(rows, column);
    return number && *number >= 0 && *number <= 0xFFFF ? static_cast<std::int32_t>(*number) : k_no_device;
}

/// Lowers `first_ns` to `time_ns` if that is positive and earlier.
inline void keep_first(std::optional<std::int64_t>& first_ns, std::int64_t time_ns) {
    if (time_ns > 0 && (!first_ns || time_ns < *first_ns)) first_ns = time_ns;
}

/// The totals of a device as curves over time: what operators allocated, used and reserved, the same totals for each
/// allocator, and the memory of the whole process. Omits repeated values: a value holds until the next one. Consumes the
/// totals in `rows`.
std::vector<Series> memory_series(sqlite::SqliteFile& file, std::int32_t device, DeviceRows& rows, ImportLog& log);

/// The totals of the WORKSPACE allocator as curves, which memory_series() does not return.
std::vector<Series> workspace_series(const std::vector<TotalsRow>& totals);

/// Reads everything measured besides memory: steps, garbage collections, memory reserved by the runtime's modules, and the
/// counters of one device. Omits tracks without rows. A track of constant values becomes a note.
std::vector<Track> read_tracks(sqlite::SqliteFile& file, std::int32_t device, ImportLog& log);

/// Adds curves and tracks to a device. Sets the start and end of the picture to the time range in which memory was recorded
/// or, if there is none, to the range of all curves and tracks.
void add_curves(DeviceTrace& trace, std::vector<Series> memory, std::vector<Track> tracks);

/// Creates the source of an allocation's details: times and totals, the operations around it, its stack (for backward
/// operations the stack of the forward operation), shapes and kernels. `row_ids[device][allocation]` is the allocation's row
/// in OP_MEMORY, or 0 if it has none.
///
/// The operations are read once, in the background, when they are first needed. Until then the details contain a note about
/// this.
std::unique_ptr<DetailSource> make_details(std::shared_ptr<sqlite::SqliteFile> file,
                                           std::vector<std::vector<std::int64_t>> row_ids);

}  // namespace snapviewer::profilers::ascend
