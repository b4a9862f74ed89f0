#include "app/features/fleet/fleet_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/fleet/fleet_reader.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

std::string note_of(const ShownRank& rank) {
    const fleet::RankRow& row = rank.row;
    if (!row.error.empty()) return "damaged: " + row.error;
    std::string note = row.oom_cause.empty() ? "" : "out of memory: " + row.oom_cause;
    if (!rank.is_outlier) return note;
    note += fmt::format("{}far {}", note.empty() ? "" : ", ", rank.delta_bytes > 0 ? "above" : "below");
    return rank.main_source.empty() ? note + " the median" : note + ": " + rank.main_source;
}

std::string sought_of(const ShownRank& rank) {
    const fleet::RankRow& row = rank.row;
    std::string text = fmt::format("{}\n{}\n{}\n{}\n{}", rank_words(place_of(row)), row.file, row.host, row.run, rank.note);
    for (const std::string& reason : rank.reasons) text += "\n" + reason;
    return lower_case(text);
}

/// The common parent folder of all files, with a trailing slash.
std::string common_folder(const std::vector<const fleet::RankRow*>& rows) {
    std::string common;
    for (const fleet::RankRow* row : rows) {
        if (row == rows.front()) common = row->file;
        const auto [end, other] = std::ranges::mismatch(common, row->file);
        common.erase(end, common.end());
    }
    return std::string(folder_part(common));
}

std::string without(const std::string& text, const std::string& part) {
    const std::size_t at = part.size() > 1 ? text.find(part) : std::string::npos;
    return at == std::string::npos ? text : std::string(text).erase(at, part.size());
}

void add_outliers(const fleet::Fleet& fleet, const std::unordered_map<const fleet::RankRow*, std::size_t>& index_of,
                  ShownFleet& shown) {
    for (const fleet::FleetOutlier& outlier : fleet.outliers()) {
        ShownRank& rank = shown.ranks[index_of.at(outlier.row)];
        rank.is_outlier = true;
        if (!outlier.stacks.empty()) rank.main_source = one_line(fleet.top_frame(outlier.stacks.front().stack_key));
        for (const fleet::FleetOutlier::Stack& stack : outlier.stacks) {
            rank.reasons.push_back(
                fmt::format("{}  {}", format_difference(static_cast<std::int64_t>(stack.bytes - stack.median_bytes)),
                            one_line(fleet.top_frame(stack.stack_key))));
        }
        for (const fleet::FleetOutlier::Stack& module : outlier.modules) {
            rank.reasons.push_back(fmt::format(
                "{}  module {}", format_difference(static_cast<std::int64_t>(module.bytes - module.median_bytes)),
                one_line(fleet.module_path(module.stack_key))));
        }
    }
}

void note_characters(ShownFleet& shown) {
    for (const ShownRank& rank : shown.ranks) {
        for (const std::string* text : {&rank.row.file, &rank.row.host, &rank.row.run, &rank.note})
            shown.characters.add(*text);
    }
    for (const ShownLine& line : shown.lines) shown.characters.add(line.text);
}

}  // namespace

RankPlace place_of(const fleet::RankRow& row) { return {row.file, row.rank, row.device}; }

std::string rank_facts(const ShownRank& rank) {
    const fleet::RankRow& row = rank.row;
    std::string text = rank_words(place_of(row)) + (row.host.empty() ? "" : " on " + row.host) + "\n" + row.file;
    if (row.peak_bytes) {
        text += fmt::format("\npeak {}, {} to the median", format_bytes_exactly(*row.peak_bytes),
                            format_difference(rank.delta_bytes));
    }
    if (row.reserved_peak_bytes) text += "\nreserved at most " + format_bytes(*row.reserved_peak_bytes);
    if (row.capacity_bytes) text += "\nof " + format_bytes(*row.capacity_bytes) + " there";
    if (!rank.note.empty()) text += "\n" + shortened(rank.note, 400);
    for (const std::string& reason : rank.reasons) text += "\n  " + reason;
    return text;
}

std::optional<std::size_t> ShownFleet::index_of(const RankPlace& place) const {
    const auto found = std::ranges::find_if(ranks, [&](const ShownRank& rank) {
        const fleet::RankRow& row = rank.row;
        return row.rank == place.rank && row.device == place.device && row.file == place.file;
    });
    return found == ranks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - ranks.begin()));
}

ShownFleet show_fleet(const fleet::Fleet& fleet) {
    ShownFleet shown;
    shown.read_count = fleet.read_count();
    shown.median_peak_bytes = fleet.median_peak_bytes();
    shown.deviation_bytes = fleet.deviation_bytes();
    shown.growing = fleet.growing();
    const std::vector<const fleet::RankRow*> rows = fleet.ranks();
    std::unordered_map<const fleet::RankRow*, std::size_t> index_of;
    for (const fleet::RankRow* row : rows) {
        index_of[row] = shown.ranks.size();
        ShownRank& rank = shown.ranks.emplace_back();
        rank.row = *row;
        if (!row->peak_bytes) continue;
        rank.delta_bytes = std::llround(static_cast<double>(*row->peak_bytes) - *shown.median_peak_bytes);
        shown.top_bytes = std::max(
            {shown.top_bytes, *row->peak_bytes, row->reserved_peak_bytes.value_or(0), row->capacity_bytes.value_or(0)});
    }
    add_outliers(fleet, index_of, shown);
    for (ShownRank& rank : shown.ranks) {
        rank.note = note_of(rank);
        rank.sought = sought_of(rank);
    }
    const std::string folder = common_folder(rows);
    for (const fleet::FleetLine& line : fleet::fleet_lines(fleet)) {
        const auto rank = line.row == nullptr ? std::nullopt : std::optional(index_of.at(line.row));
        shown.lines.push_back({line.depth, without(line.text, folder), rank});
    }
    note_characters(shown);
    return shown;
}

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
