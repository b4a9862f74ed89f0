#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/load/profilers/tables.h"
#include "core/trace/snapshot.h"

namespace snapviewer::profilers::memscope {

/// Iterates over the fields of an Attr column, a flat JSON object. Older versions of msMemScope write it without quotes, so
/// no JSON parser reads it. A nested object or list is returned as one value, unparsed. Does not copy: the text must outlive
/// this object.
class Attributes {
public:
    explicit Attributes(std::string_view text);

    /// Advances to the next field. False after the last field, or at the first syntax error.
    bool next();
    std::string_view key() const { return key_; }
    /// The value without its quotes; escape sequences are not decoded.
    std::string_view value() const { return value_; }

private:
    void skip_spaces();
    std::string_view quoted();
    std::string_view bare(std::string_view ends);

    std::string_view rest_;
    std::string_view key_;
    std::string_view value_;
};

/// Parses a whole number written as "512", "-512" or "512.0". nullopt for anything else.
std::optional<std::int64_t> number_of(std::string_view text);

/// Parses a line of a call stack: "path(line): function" from Python, or "library(function+0x10) [0x...]" from C. Any other
/// line is taken for a function without a file.
StackLine stack_line(std::string_view text);

/// Splits the text of a stack into lines, innermost first. Empty for an empty text and for "N/A".
std::vector<std::string_view> stack_lines(std::string_view text);

// The only table of an msMemScope database, one row per event. Times in these structs are nanoseconds since the Unix epoch,
// independent of the file's unit.

inline constexpr std::int64_t k_no_ns = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t k_below_all = k_no_ns;  ///< Row number of an allocation for memory that is in no row.
inline constexpr std::int32_t k_no_device = -1;       ///< Device of a row that states none ("N/A").
inline constexpr std::int32_t k_host = -2;            ///< Host memory: "cpu", or "host" in older versions.

constexpr std::int64_t us_of(std::int64_t time_ns) { return time_ns == k_no_ns ? k_no_time : time_ns / 1000; }

/// The columns of the table by meaning.
enum Column : std::uint8_t {
    k_row,
    k_event,
    k_type,
    k_name,
    k_time,
    k_process,
    k_thread,
    k_device,
    k_address,
    k_attributes,
    k_python_stack,
    k_c_stack,
    k_columns
};

/// The table and the SQL of its columns: their names as spelled in the file, "NULL" for missing columns.
struct DumpColumns {
    std::string table;
    std::array<std::string, k_columns> sql;
    std::int64_t ns_per_unit = 1;  ///< Unit of the times according to the column's name.
};
/// Finds the table of events. nullopt if it is missing, or if it lacks its column of events or times.
std::optional<DumpColumns> find_dump(sqlite::SqliteFile& file);

/// A MALLOC or FREE row.
struct Change {
    std::int64_t time_ns = 0;
    std::int64_t row = 0;      ///< Row number; 0 if rows have no numbers, as in views.
    std::int64_t process = 0;  ///< Process id; 0 if the row states none.
    std::uint64_t address = 0;
    std::int64_t size_bytes = 0;   ///< Size of the block; never negative; 0 if the row states no size.
    std::int64_t used_bytes = -1;  ///< Bytes in use in the allocator after the event; -1 if the row does not state them.
    std::int64_t total_bytes = -1;
    std::int32_t device = k_no_device;
    std::uint16_t type = 0;  ///< index into Dump::types
    bool is_free = false;
    StackId stack;
    StringId owner;  ///< Owner of the memory; none() for FREE rows and for MALLOC rows without an owner.
};

/// The kinds of rows other than MALLOC, FREE and ACCESS.
enum class Activity : std::uint8_t { mstx, launch, kernel, operation };
enum class Phase : std::uint8_t { moment, start, end };
/// A row that marks a moment, or the start or end of a range.
struct Occurrence {
    std::int64_t time_ns = 0;
    std::int64_t row = 0;
    std::int64_t process = 0;  ///< Process id; 0 if the row states none, as for running kernels.
    std::int64_t thread = 0;
    std::int32_t device = k_no_device;
    Activity activity = Activity::mstx;
    Phase phase = Phase::moment;
    StringId name;
    StringId task;  ///< stream and task of a kernel
};

/// The parsed table.
struct Dump {
    std::vector<std::string> types;       ///< kinds of memory: "HAL", "PTA", ...
    std::vector<Change> changes;          ///< MALLOC and FREE rows, sorted by time; stable
    std::vector<Occurrence> occurrences;  ///< other rows, sorted by time; stable
    std::int64_t start_ns = k_no_ns;      ///< time of the earliest row
    std::int64_t end_ns = k_no_ns;
    /// Nanoseconds in one unit of the table's times. Differs from DumpColumns::ns_per_unit if the column's name is wrong.
    std::int64_t ns_per_unit = 1;
};

/// Reads the table in one pass. Rows that cannot be drawn are counted in the log. Texts are interned in the snapshot.
Dump read_dump(sqlite::SqliteFile& file, const DumpColumns& columns, Snapshot& snapshot);

inline constexpr std::uint32_t k_none = 0xFFFFFFFF;

/// One kind of memory of one device in one process, drawn as a picture of its own. Ordered by device, kind and process.
struct Part {
    std::int32_t device = k_no_device;
    std::uint16_t type = 0;    ///< index into Dump::types
    std::int64_t process = 0;  ///< Process id; 0 if the rows state none.
    auto operator<=>(const Part&) const = default;
};

/// A block, given by the indices in Dump::changes of its MALLOC and its FREE. k_none is the index of a missing row; at least
/// one of the two exists.
struct Block {
    std::uint32_t part = 0;  ///< index into Blocks::parts
    std::uint32_t alloc = k_none;
    std::uint32_t free = k_none;
};

/// All blocks of a dump.
struct Blocks {
    std::vector<Part> parts;               ///< parts that contain blocks, sorted
    std::vector<Block> blocks;             ///< blocks, sorted by the first row about each block
    std::vector<std::uint32_t> of_change;  ///< Block index of each change; k_none for a change that was ignored.
};

/// Pairs each FREE with the last MALLOC of the same process, kind, device and address. A row without a process matches any
/// process; a HAL row without a device matches any device. A MALLOC of an address that is still allocated is ignored, as in
/// MindStudio Insight. A FREE without a MALLOC means that the block was allocated before the recording. The log counts both
/// cases. O(n), except for damaged files.
Blocks pair_changes(const Dump& dump, ImportLog& log);

/// The table rows of a part's allocations, parallel to them.
struct AllocationRows {
    /// Row number of each MALLOC; 0 if no row has a number, k_below_all for memory that no row lists.
    std::vector<std::int64_t> allocs;
    std::vector<std::int64_t> frees;
};

/// A picture, and the table rows of its allocations.
struct BuiltPart {
    DeviceTrace trace;
    AllocationRows rows;
};

/// Builds a trace for each part, in the order of Blocks::parts: allocations, events and the allocator's totals. The category
/// of an allocation is its owner, or the kind of memory if it has none. The lowest allocation represents the memory that was
/// allocated before the recording and kept throughout. The caller assigns names and numbers to the traces.
std::vector<BuiltPart> build_parts(const Dump& dump, const Blocks& blocks, Snapshot& snapshot);

}  // namespace snapviewer::profilers::memscope
