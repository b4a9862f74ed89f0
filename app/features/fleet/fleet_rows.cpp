#include "app/features/fleet/fleet_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unordered_map>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/fleet/fleet_report.h"

namespace snapviewer {
namespace {

std::string note_of(const ShownRank& rank) {
    const RankRow& row = rank.row;
    if (!row.error.empty()) return "damaged: " + row.error;
    std::string note = row.oom_cause.empty() ? "" : "out of memory: " + row.oom_cause;
    if (!rank.is_outlier) return note;
    note += fmt::format("{}far {}", note.empty() ? "" : ", ", rank.delta_bytes > 0 ? "above" : "below");
    return rank.main_source.empty() ? note + " the median" : note + ": " + rank.main_source;
}

std::string sought_of(const ShownRank& rank) {
    const RankRow& row = rank.row;
    std::string text = fmt::format("{}\n{}\n{}\n{}\n{}", rank_words(place_of(row)), row.file, row.host, row.run, rank.note);
    for (const std::string& reason : rank.reasons) text += "\n" + reason;
    return lower_case(text);
}

/// The folder that all files have in common, with its slash.
std::string common_folder(const std::vector<const RankRow*>& rows) {
    std::string common;
    for (const RankRow* row : rows) {
        if (row == rows.front()) common = row->file;
        const auto [end, other] = std::ranges::mismatch(common, row->file);
        common.erase(end, common.end());
    }
    return common.substr(0, common.find_last_of('/') + 1);
}

std::string without(const std::string& text, const std::string& part) {
    const std::size_t at = part.size() > 1 ? text.find(part) : std::string::npos;
    return at == std::string::npos ? text : std::string(text).erase(at, part.size());
}

void add_outliers(const Fleet& fleet, const std::unordered_map<const RankRow*, std::size_t>& index_of, ShownFleet& shown) {
    for (const FleetOutlier& outlier : fleet.outliers()) {
        ShownRank& rank = shown.ranks[index_of.at(outlier.row)];
        rank.is_outlier = true;
        if (!outlier.stacks.empty()) rank.main_source = one_line(fleet.top_frame(outlier.stacks.front().stack_key));
        for (const FleetOutlier::Stack& stack : outlier.stacks) {
            rank.reasons.push_back(
                fmt::format("{}  {}", format_difference(static_cast<std::int64_t>(stack.bytes - stack.median_bytes)),
                            one_line(fleet.top_frame(stack.stack_key))));
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

/// What a row is sorted by; texts are compared by themselves.
std::int64_t sort_number(const ShownRank& rank, FleetColumn column) {
    const RankRow& row = rank.row;
    const auto size = [](const std::optional<std::uint64_t>& bytes) {
        return bytes ? static_cast<std::int64_t>(*bytes) : std::int64_t{-1};
    };
    switch (column) {
        case FleetColumn::rank: return row.rank;
        case FleetColumn::device: return row.device.value_or(-1);
        case FleetColumn::peak: return size(row.peak_bytes);
        case FleetColumn::delta: return rank.is_readable() ? std::abs(rank.delta_bytes) : -1;
        case FleetColumn::reserved: return size(row.reserved_peak_bytes);
        case FleetColumn::capacity: return size(row.capacity_bytes);
        case FleetColumn::events: return static_cast<std::int64_t>(row.events);
        case FleetColumn::note:
        case FleetColumn::host:
        case FleetColumn::run:
        case FleetColumn::file: break;
    }
    return 0;
}

const std::string& sort_text(const ShownRank& rank, FleetColumn column) {
    switch (column) {
        case FleetColumn::note: return rank.note;
        case FleetColumn::host: return rank.row.host;
        case FleetColumn::run: return rank.row.run;
        default: return rank.row.file;
    }
}

bool is_before(const ShownRank& a, const ShownRank& b, FleetColumn column) {
    if (column < FleetColumn::note) return sort_number(a, column) < sort_number(b, column);
    return comes_before(sort_text(a, column), sort_text(b, column));
}

/// A number is that of a rank, anything else a part of a text.
bool passes(const ShownRank& rank, const std::string& part) {
    if (part.find_first_not_of("0123456789") == std::string::npos) return std::to_string(rank.row.rank) == part;
    return rank.sought.find(part) != std::string::npos;
}

}  // namespace

RankPlace place_of(const RankRow& row) { return {row.file, row.rank, row.device}; }

std::string rank_facts(const ShownRank& rank) {
    const RankRow& row = rank.row;
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
        const RankRow& row = rank.row;
        return row.rank == place.rank && row.device == place.device && row.file == place.file;
    });
    return found == ranks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - ranks.begin()));
}

ShownFleet show_fleet(const Fleet& fleet) {
    ShownFleet shown;
    shown.read_count = fleet.read_count();
    shown.median_peak_bytes = fleet.median_peak_bytes();
    shown.deviation_bytes = fleet.deviation_bytes();
    shown.growing = fleet.growing();
    const std::vector<const RankRow*> rows = fleet.ranks();
    std::unordered_map<const RankRow*, std::size_t> index_of;
    for (const RankRow* row : rows) {
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
    for (const FleetLine& line : fleet_lines(fleet)) {
        const auto rank = line.row == nullptr ? std::nullopt : std::optional(index_of.at(line.row));
        shown.lines.push_back({line.depth, without(line.text, folder), rank});
    }
    note_characters(shown);
    return shown;
}

std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order) {
    std::vector<std::string> parts;
    std::istringstream words(lower_case(order.filter));
    for (std::string part; words >> part;) parts.push_back(part);
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < fleet.ranks.size(); ++i) {
        if (std::ranges::all_of(parts, [&](const std::string& part) { return passes(fleet.ranks[i], part); }))
            places.push_back(i);
    }
    std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
        if (order.is_descending) std::swap(a, b);
        return is_before(fleet.ranks[a], fleet.ranks[b], order.by);
    });
    return places;
}

}  // namespace snapviewer
