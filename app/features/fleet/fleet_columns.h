#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/features/fleet/fleet_rows.h"
#include "app/ui/table_column.h"

/// The columns of the table of ranks, and their filter and sort order. Independent of the GUI.
namespace snapviewer {

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
