#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/features/fleet/fleet_rows.h"
#include "app/ui/table_column.h"

/// The columns of the table of ranks, and what is in it. No GUI in here.
namespace snapviewer {

enum class FleetColumn : std::uint8_t { rank, device, peak, delta, reserved, capacity, events, note, host, run, file };

struct FleetColumnInfo {
    TableColumn header;
    std::string (*shown)(const ShownRank& rank);
    std::int64_t (*number)(const ShownRank& rank) = nullptr;      ///< it is sorted by, and stands at the right
    const std::string& (*text)(const ShownRank& rank) = nullptr;  ///< it is sorted by, if not by a number
};
/// By FleetColumn.
std::span<const FleetColumnInfo> fleet_columns();
const FleetColumnInfo& info_of(FleetColumn column);

/// What of a fleet is in the table, and in which order. Differences go by their amount, whatever their sign.
struct FleetOrder {
    FleetColumn by = FleetColumn::rank;
    bool is_descending = false;
    std::string filter;  ///< words: the number of a rank, or parts of texts in any case; a row has all of them
    bool operator==(const FleetOrder&) const = default;
};

/// Indices into the ranks; those alike in the column stay in the order of the fleet. O(ranks log ranks).
std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order);

}  // namespace snapviewer
