#include "app/features/fleet/fleet_columns.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

std::string size_text(const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "-"; }
std::int64_t size_number(const std::optional<std::uint64_t>& bytes) {
    return bytes ? static_cast<std::int64_t>(*bytes) : -1;
}

constexpr std::array<FleetColumnInfo, 11> k_fleet_columns = {{
    {.header = {.title = "Rank",
                .name = "rank",
                .width_px = 46,
                .doc = "From the file name, the folder or the recording",
                .is_sorted_first = true},
     .shown = [](const ShownRank& rank) { return std::to_string(rank.row.rank); },
     .number = [](const ShownRank& rank) { return std::int64_t{rank.row.rank}; }},
    {.header =
         {.title = "Device", .name = "device", .width_px = 64, .doc = "Device number on its machine", .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.device ? std::to_string(*rank.row.device) : "-"; },
     .number = [](const ShownRank& rank) { return std::int64_t{rank.row.device.value_or(-1)}; }},
    {.header = {.title = "Peak",
                .name = "peak",
                .width_px = 80,
                .doc = "The most that was allocated at the same time",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.peak_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.peak_bytes); }},
    {.header = {.title = "To median",
                .name = "delta",
                .width_px = 88,
                .doc = "Distance of the peak from the median of all ranks; furthest first, whether above or below",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return rank.is_readable() ? format_difference(rank.delta_bytes) : "-"; },
     .number = [](const ShownRank& rank) { return rank.is_readable() ? std::int64_t{std::abs(rank.delta_bytes)} : -1; }},
    {.header = {.title = "Reserved",
                .name = "reserved",
                .width_px = 80,
                .doc = "The most that was reserved from the driver",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.reserved_peak_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.reserved_peak_bytes); }},
    {.header = {.title = "Capacity",
                .name = "capacity",
                .width_px = 80,
                .doc = "Memory of the device, if it is known from running out of memory",
                .largest_first = true,
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.capacity_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.capacity_bytes); }},
    {.header = {.title = "Events",
                .name = "events",
                .width_px = 76,
                .doc = "Number of events in the recording",
                .largest_first = true,
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.is_readable() ? format_count(rank.row.events) : "-"; },
     .number = [](const ShownRank& rank) { return static_cast<std::int64_t>(rank.row.events); }},
    {.header = {.title = "Note", .name = "note", .doc = "Anything unusual", .largest_first = true},
     .shown = [](const ShownRank& rank) { return rank.note; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.note; }},
    {.header = {.title = "Host",
                .name = "host",
                .width_px = 90,
                .doc = "The machine, if the file name contains it",
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.host; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.host; }},
    {.header = {.title = "Run",
                .name = "run",
                .width_px = 90,
                .doc = "Distinguishes several snapshots of one rank",
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.run; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.run; }},
    {.header = {.title = "File", .name = "file", .width_px = 130, .doc = "The file it was read from"},
     .shown = [](const ShownRank& rank) { return std::filesystem::path(rank.row.file).filename().string(); },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.file; }},
}};

bool is_before(const ShownRank& a, const ShownRank& b, const FleetColumnInfo& column) {
    return column.number != nullptr ? column.number(a) < column.number(b)
                                    : compare_names(column.text(a), column.text(b)) < 0;
}

/// True if a rank matches one word of the filter. A number matches the rank with that number, any other word a part of the
/// rank's texts.
bool passes(const ShownRank& rank, const std::string& part) {
    if (part.find_first_not_of("0123456789") == std::string::npos) return std::to_string(rank.row.rank) == part;
    return rank.sought.find(part) != std::string::npos;
}

}  // namespace

std::span<const FleetColumnInfo> fleet_columns() { return k_fleet_columns; }

const FleetColumnInfo& info_of(FleetColumn column) { return k_fleet_columns[static_cast<std::size_t>(column)]; }

std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order) {
    std::vector<std::string> parts;
    std::istringstream words(lower_case(order.filter));
    for (std::string part; words >> part;) parts.push_back(part);
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < fleet.ranks.size(); ++i) {
        if (std::ranges::all_of(parts, [&](const std::string& part) { return passes(fleet.ranks[i], part); }))
            places.push_back(i);
    }
    const FleetColumnInfo& column = info_of(order.by);
    std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
        if (order.is_descending) std::swap(a, b);
        return is_before(fleet.ranks[a], fleet.ranks[b], column);
    });
    return places;
}

}  // namespace snapviewer
