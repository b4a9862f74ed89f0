#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

/// The memory tables of the Ascend PyTorch Profiler as they stand in the file. Times are nanoseconds since the Unix epoch.
namespace snapviewer::ascend {

inline constexpr std::int64_t k_no_ns = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int32_t k_no_device = -1;  ///< rows that name none are a group of their own

constexpr std::int64_t us_of(std::int64_t time_ns) { return time_ns / 1000; }

/// A condition for the rows of one device: "deviceId" IS 3; always true for tables without devices.
std::string of_device(const SqliteFile& file, std::string_view table, std::int32_t device);

/// A condition on a column that holds the id of a word such as 'app' or 'release', wherever the file keeps those.
std::string is_word(const SqliteFile& file, std::string_view column, std::string_view word);

/// Whose memory a row speaks of.
enum class Component : std::uint8_t { pta, ge, pta_ge, workspace, unknown };
const char* component_name(Component component);  ///< "PTA", "GE", "PTA+GE", "WORKSPACE", "(unknown)"

/// A block: a row of OP_MEMORY that can be drawn, or a pair of NPU_OP_MEM.
struct BlockRow {
    std::int64_t row_id = 0;
    std::int64_t name = 0;  ///< a key of Texts
    std::int64_t size_bytes = 0;
    std::int64_t alloc_ns = 0;
    std::int64_t release_ns = k_no_ns;         ///< the tensor was freed; only if after alloc_ns
    std::int64_t active_release_ns = k_no_ns;  ///< the block went back to the pool; only if after alloc_ns
    std::int64_t total_allocated = 0;          ///< after the allocation, of the row's own allocator
    std::uint64_t address = 0;
    std::int64_t stream = 0;
    bool has_stream = false;
    Component component = Component::unknown;

    std::int64_t end_ns() const { return active_release_ns != k_no_ns ? active_release_ns : release_ns; }
};

/// A row of MEMORY_RECORD: totals after an event of an allocator.
struct TotalsRow {
    std::int64_t time_ns = 0;
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
    std::int64_t active = 0;
};

/// The memory of one device.
struct DeviceRows {
    std::vector<BlockRow> blocks;                  ///< by alloc_ns
    std::array<std::vector<TotalsRow>, 4> totals;  ///< by Component, each by time
    std::vector<TotalsRow>& of(Component component) { return totals[static_cast<std::size_t>(component)]; }
};

/// Texts of STRING_IDS: only those asked for, read in one pass.
class Texts {
public:
    void want(std::int64_t id) { wanted_.insert(id); }
    /// The first of several values of an id wins.
    void read(SqliteFile& file, Snapshot& snapshot);
    /// none() where the file does not know.
    StringId find(std::int64_t id) const;
    /// The text, or "(unknown)" or "#123".
    std::string text(const Snapshot& snapshot, std::int64_t id) const;

private:
    std::unordered_set<std::int64_t, KeyedHash> wanted_;
    std::unordered_map<std::int64_t, StringId, KeyedHash> found_;
};

/// All that the memory tables say, by device.
struct MemoryRows {
    std::map<std::int32_t, DeviceRows> devices;
    Texts texts;
    std::int64_t first_ns = 0;  ///< the earliest time stored as a positive number in either table; 0 where there is none
};

/// Reads OP_MEMORY and MEMORY_RECORD with all their texts. What cannot be drawn is counted in the log.
MemoryRows read_memory_rows(SqliteFile& file, Snapshot& snapshot);

}  // namespace snapviewer::ascend
