#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/ui/state_parts.h"
#include "app/ui/texts.h"
#include "core/fleet/fleet.h"

/// The display data of a fleet: bars and rows for its ranks, and lines of text about it. Independent of the GUI.
namespace snapviewer {

RankPlace place_of(const fleet::RankRow& row);

/// A rank of a fleet, and how it differs from the other ranks.
struct ShownRank {
    fleet::RankRow row;
    std::int64_t delta_bytes = 0;  ///< difference from the median peak; 0 if the file could not be read
    bool is_outlier = false;
    std::string note;                  ///< short text about the unusual properties of the rank; usually empty
    std::string main_source;           ///< source line of the stack with the largest share of an outlier's difference
    std::vector<std::string> reasons;  ///< stacks that explain an outlier's difference, one per line, largest share first
    std::string sought;                ///< text that the filter searches: all texts of the rank in lower case

    bool is_readable() const { return row.error.empty(); }
};

/// Lines of text about a rank: its file, its numbers and its unusual properties.
std::string rank_facts(const ShownRank& rank);

/// A line of the summary of a fleet.
struct ShownLine {
    std::size_t depth = 0;            ///< indentation level, see FleetLine
    std::string text;                 ///< text of the line; paths omit the common folder of all ranks
    std::optional<std::size_t> rank;  ///< index into ShownFleet::ranks, if the line is about a rank
};

/// Display data of the part of a fleet that has been read so far. Immutable.
struct ShownFleet {
    std::vector<ShownRank> ranks;  ///< ranks in the order of Fleet::ranks()
    std::vector<ShownLine> lines;  ///< summary of the fleet, see fleet_lines()
    std::vector<fleet::FleetGrowth> growing;
    std::optional<double> median_peak_bytes;
    double deviation_bytes = 0;
    std::uint64_t top_bytes = 0;  ///< largest number of bytes that a rank used, reserved or had as capacity
    std::size_t read_count = 0;   ///< number of ranks whose files could be read
    CharacterSet characters;      ///< characters that the texts need

    /// Index of a rank, or nullopt if the fleet no longer has it. O(ranks).
    std::optional<std::size_t> index_of(const RankPlace& place) const;
};

/// Computes the display data of a fleet. O(ranks log ranks), plus the cost of comparing their stacks.
ShownFleet show_fleet(const fleet::Fleet& fleet);

// The columns of the table of ranks, and their filter and sort order. Independent of the GUI.

enum class FleetColumn : std::uint8_t { rank, device, peak, delta, reserved, capacity, events, note, host, run, file };

struct FleetColumnInfo {
    TableColumn header;
    std::string (*shown)(const ShownRank& rank);
    /// Numeric sort key; null for a text column; numbers are aligned right.
    std::int64_t (*number)(const ShownRank& rank) = nullptr;
    const std::string& (*text)(const ShownRank& rank) = nullptr;  ///< textual sort key of a column without a number
};
/// The columns of the fleet table, indexed by FleetColumn.
std::span<const FleetColumnInfo> fleet_columns();
const FleetColumnInfo& info_of(FleetColumn column);

/// Filter and sort order of the fleet table. Differences are sorted by magnitude, ignoring their sign.
struct FleetOrder {
    FleetColumn by = FleetColumn::rank;
    bool is_descending = false;
    std::string filter;  ///< words that a row must all match: rank numbers, or parts of texts in any case
    bool operator==(const FleetOrder&) const = default;
};

/// Filters and sorts the ranks of a fleet. Returns indices of ranks. Ranks with an equal value in the sort column keep their
/// order. O(ranks log ranks).
std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order);

}  // namespace snapviewer
