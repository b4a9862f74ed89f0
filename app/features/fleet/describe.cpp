#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/fleet/fleet_columns.h"
#include "app/features/fleet/fleet_runs.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_most_fleet_rows = 50;

JsonValue place_json(const RankPlace& place) {
    return {{"rank", place.rank}, {"device", place.device ? JsonValue(*place.device) : JsonValue()}, {"file", place.file}};
}

JsonValue optional_place_json(const std::optional<RankPlace>& place) { return place ? place_json(*place) : JsonValue(); }

JsonValue places_json(const std::vector<RankPlace>& places) {
    JsonValue all = JsonValue::array();
    for (const RankPlace& place : places) all.push_back(place_json(place));
    return all;
}

JsonValue first_ranks(const ShownFleet& fleet, const std::vector<std::uint32_t>& places) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(places.size(), k_most_fleet_rows); ++i) {
        const ShownRank& rank = fleet.ranks[places[i]];
        JsonValue row = place_json(place_of(rank.row));
        row["peak_bytes"] = rank.row.peak_bytes ? JsonValue(*rank.row.peak_bytes) : JsonValue();
        row["delta_bytes"] = rank.delta_bytes;
        row["note"] = rank.note;
        rows.push_back(std::move(row));
    }
    return rows;
}

JsonValue shown_fleet_json(const FleetState& page) {
    const ShownFleet& fleet = *page.shown;
    JsonValue outliers = JsonValue::array();
    JsonValue failed = JsonValue::array();
    for (const ShownRank& rank : fleet.ranks) {
        if (rank.is_outlier) {
            JsonValue outlier = place_json(place_of(rank.row));
            outlier["delta_bytes"] = rank.delta_bytes;
            outlier["reasons"] = rank.reasons;
            outliers.push_back(std::move(outlier));
        }
        if (!rank.is_readable()) failed.push_back({{"file", rank.row.file}, {"error", rank.row.error}});
    }
    JsonValue growing = JsonValue::array();
    for (const FleetGrowth& stack : fleet.growing)
        growing.push_back({{"source", stack.source}, {"ranks", stack.ranks}, {"slope", stack.slope}});
    JsonValue lines = JsonValue::array();
    for (const ShownLine& line : fleet.lines) lines.push_back(line.text);
    return {{"ranks", fleet.ranks.size()},
            {"median_peak_bytes", fleet.median_peak_bytes ? JsonValue(*fleet.median_peak_bytes) : JsonValue()},
            {"outliers", std::move(outliers)},
            {"growing", std::move(growing)},
            {"failed", std::move(failed)},
            {"lines", std::move(lines)},
            {"rows", page.arranged == page.shown ? JsonValue(page.places.size()) : JsonValue()},
            {"first_rows", page.arranged == page.shown ? first_ranks(fleet, page.places) : JsonValue::array()},
            {"first_bars", page.barred_of == page.shown ? first_ranks(fleet, page.bars) : JsonValue::array()}};
}

JsonValue curves_json(const FleetState& page) {
    JsonValue curves = JsonValue::array();
    for (std::size_t i = 0; i < page.curves_of.size(); ++i) {
        const auto& totals = page.curves.totals[i];
        const auto most = std::ranges::max_element(totals);
        curves.push_back({{"rank", page.curves_of[i].rank},
                          {"most", most == totals.end() ? 0 : most->value_or(0)},
                          {"aligned", page.curves.start_us ? "clock" : alignment_method_name(page.curves.methods[i])}});
    }
    return curves;
}

JsonValue fleet_report(const AppState& state) {
    const FleetState& page = state.fleet;
    if (page.paths.empty()) return nullptr;
    return {{"paths", page.paths},
            {"is_shown", state.fleet.is_open},
            {"files", page.files},
            {"files_read", page.files_read},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error},
            {"sorted_by", info_of(page.order.by).header.name},
            {"descending", page.order.is_descending},
            {"filter", page.order.filter},
            {"cursor", optional_place_json(page.cursor)},
            {"chosen", places_json(page.chosen)},
            {"opened", optional_place_json(page.opened)},
            {"curves", curves_json(page)},
            {"curves_span_us", page.curves.start_us ? JsonValue(page.curves.end) : JsonValue()},
            {"not_by_clock", page.not_by_clock},
            {"refusal", page.refusal},
            {"curves_status", page.curves_status},
            {"curves_error", page.curves_error},
            {"shown", page.shown ? shown_fleet_json(page) : JsonValue()}};
}

}  // namespace

void FleetRuns::describe(nlohmann::json& report) const { report["fleet"] = fleet_report(state_); }

}  // namespace snapviewer
