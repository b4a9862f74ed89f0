#include "app/features/fleet/fleet_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/fleet/fleet_report.h"
#include "core/system/files.h"

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

/// The common parent folder of all files, with a trailing slash.
std::string common_folder(const std::vector<const RankRow*>& rows) {
    std::string common;
    for (const RankRow* row : rows) {
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
        for (const FleetOutlier::Stack& module : outlier.modules) {
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

}  // namespace snapviewer
