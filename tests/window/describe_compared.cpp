// What the windows show that compare recordings: the comparison of two, and the ranks of a fleet.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/fleet/fleet.h"
#include "app/features/fleet/fleet_data.h"
#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/curves.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

constexpr std::size_t k_max_compared_rows = 50;

JsonValue boxes_json(const compare::PeakComparison& peaks) {
    JsonValue boxes = JsonValue::object();
    for (const compare::ComparedBox box : compare::k_compared_boxes) {
        const auto& rows = rows_of(peaks, box);
        const compare::ComparedSums sums(rows);
        boxes[compared_box_name(box)] = {{"rows", rows.size()},     {"bytes_a", sums.bytes_a},
                                         {"bytes_b", sums.bytes_b}, {"count_a", sums.count_a},
                                         {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
    }
    return boxes;
}

JsonValue first_compared_rows(const compare::CompareState& page) {
    JsonValue rows = JsonValue::array();
    if (page.arranged != page.shown.get()) return rows;
    for (std::size_t i = 0; i < std::min(page.places.size(), k_max_compared_rows); ++i) {
        const compare::ComparedPlace& place = page.places[i];
        const compare::PeakComparison::Row& row = rows_of(page.shown->comparison.peaks, place.box)[place.row];
        rows.push_back({{"key", row.key},
                        {"source", row.source},
                        {"box", compared_box_name(place.box)},
                        {"bytes_a", row.bytes_a},
                        {"count_a", row.count_a},
                        {"bytes_b", row.bytes_b},
                        {"count_b", row.count_b},
                        {"delta", row.delta_bytes()}});
    }
    return rows;
}

JsonValue most_of(const std::vector<std::optional<std::uint64_t>>& totals) {
    std::uint64_t most = 0;
    for (const auto& bytes : totals) most = std::max(most, bytes.value_or(0));
    return most;
}

JsonValue shown_json(const compare::CompareState& page) {
    const compare::ShownComparison& shown = *page.shown;
    JsonValue settings = JsonValue::array();
    for (const compare::SettingDifference& each : shown.comparison.settings)
        settings.push_back({{"key", each.key}, {"a", each.a}, {"b", each.b}});
    return {{"by", compare::compare_by_names()[static_cast<std::size_t>(shown.comparison.by)]},
            {"basis", compare::compare_basis_names()[static_cast<std::size_t>(shown.comparison.basis)]},
            {"peak_a", shown.comparison.a.bytes},
            {"peak_b", shown.comparison.b.bytes},
            {"peak_a_is_lower_bound", shown.comparison.a.known.is_lower_bound},
            {"peak_b_is_lower_bound", shown.comparison.b.known.is_lower_bound},
            {"reserved_a", shown.comparison.a.reserved_bytes},
            {"reserved_b", shown.comparison.b.reserved_bytes},
            {"delta", shown.comparison.delta_bytes()},
            {"groups", boxes_json(shown.comparison.peaks)},
            {"rows", page.places.size()},
            {"first_rows", first_compared_rows(page)},
            {"settings", std::move(settings)},
            {"alignment",
             {{"method", compare::alignment_method_name(shown.alignment.method)}, {"points", shown.alignment.points}}},
            {"curves", {{"most_a", most_of(shown.curves.a)}, {"most_b", most_of(shown.curves.b)}}},
            {"sentence", peaks_sentence(shown.comparison)},
            {"aligned", alignment_sentence(shown.alignment, *shown.steps_a, *shown.steps_b)},
            {"limits", shown.limits}};
}

JsonValue compare_report(const compare::CompareState& page) {
    if (!page.is_open) return nullptr;
    return {{"b", page.path},
            {"shown", page.shown ? shown_json(page) : JsonValue(nullptr)},
            {"chosen", page.chosen_key},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error}};
}

}  // namespace

void describe(const compare::CompareRuns& runs, const Session& /*session*/, JsonValue& report) {
    report["compare"] = compare_report(runs.state());
}

namespace {

JsonValue compared_allocation_json(const std::optional<compare::ComparedAllocation>& allocation) {
    if (!allocation) return nullptr;
    return {{"side", allocation->side == compare::ComparedSide::a ? "a" : "b"}, {"index", allocation->id.value}};
}

}  // namespace

void describe(const compare::ComparedPictures& pictures, const Session& /*session*/, JsonValue& report) {
    JsonValue& compared = report["compare"];
    if (compared.is_null()) return;
    JsonValue& described = compared["pictures"];
    const compare::ComparedPicturesState& state = pictures.state();
    if (state.made == nullptr) return;
    const compare::SharedAxis& axis = state.made->axis();
    const auto steps_b = static_cast<double>(state.made->timeline_b().step_count());
    const Emphasis* lit_b = pictures.compare().state().highlight_b.get();
    described = {{"view", {state.view.x_begin, state.view.x_end, state.view.y_begin, state.view.y_end}},
                 {"axis", {axis.begin(), axis.end()}},
                 {"b_lies", {axis.place_of_b(0), axis.place_of_b(steps_b)}},
                 {"hovered", compared_allocation_json(state.hovered)},
                 {"chosen", compared_allocation_json(state.chosen)},
                 {"lit_b", lit_b == nullptr ? JsonValue(nullptr) : JsonValue(lit_b->count())},
                 {"error", state.error}};
}

namespace {

constexpr std::size_t k_max_fleet_rows = 50;

JsonValue place_json(const RankPlace& place) {
    return {{"rank", place.rank}, {"device", place.device ? JsonValue(*place.device) : JsonValue()}, {"file", place.file}};
}

JsonValue optional_place_json(const std::optional<RankPlace>& place) { return place ? place_json(*place) : JsonValue(); }

JsonValue places_json(const std::vector<RankPlace>& places) {
    JsonValue all = JsonValue::array();
    for (const RankPlace& place : places) all.push_back(place_json(place));
    return all;
}

JsonValue first_ranks(const fleet::ShownFleet& fleet, const std::vector<std::uint32_t>& places) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(places.size(), k_max_fleet_rows); ++i) {
        const fleet::ShownRank& rank = fleet.ranks[places[i]];
        JsonValue row = place_json(place_of(rank.row));
        row["peak_bytes"] = rank.row.peak_bytes ? JsonValue(*rank.row.peak_bytes) : JsonValue();
        row["delta_bytes"] = rank.delta_bytes;
        row["note"] = rank.note;
        rows.push_back(std::move(row));
    }
    return rows;
}

JsonValue shown_fleet_json(const fleet::FleetState& page) {
    const fleet::ShownFleet& fleet = *page.shown;
    JsonValue outliers = JsonValue::array();
    JsonValue failed = JsonValue::array();
    for (const fleet::ShownRank& rank : fleet.ranks) {
        if (rank.is_outlier) {
            JsonValue outlier = place_json(place_of(rank.row));
            outlier["delta_bytes"] = rank.delta_bytes;
            outlier["reasons"] = rank.reasons;
            outliers.push_back(std::move(outlier));
        }
        if (!rank.is_readable()) failed.push_back({{"file", rank.row.file}, {"error", rank.row.error}});
    }
    JsonValue growing = JsonValue::array();
    for (const fleet::FleetGrowth& stack : fleet.growing)
        growing.push_back({{"source", stack.source}, {"ranks", stack.ranks}, {"slope", stack.slope}});
    JsonValue lines = JsonValue::array();
    for (const fleet::ShownLine& line : fleet.lines) lines.push_back(line.text);
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

JsonValue curves_json(const fleet::FleetState& page) {
    JsonValue curves = JsonValue::array();
    for (std::size_t i = 0; i < page.curves_of.size(); ++i) {
        const auto& totals = page.curves.totals[i];
        const auto most = std::ranges::max_element(totals);
        curves.push_back(
            {{"rank", page.curves_of[i].rank},
             {"most", most == totals.end() ? 0 : most->value_or(0)},
             {"aligned", page.curves.start_us ? "clock" : compare::alignment_method_name(page.curves.methods[i])}});
    }
    return curves;
}

JsonValue fleet_report(const fleet::FleetState& page, const std::optional<RankPlace>& opened) {
    if (page.paths.empty()) return nullptr;
    return {{"paths", page.paths},
            {"is_shown", page.is_open},
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
            {"opened", optional_place_json(opened)},
            {"curves", curves_json(page)},
            {"curves_span_us", page.curves.start_us ? JsonValue(page.curves.end) : JsonValue()},
            {"not_by_clock", page.not_by_clock},
            {"refusal", page.refusal},
            {"curves_status", page.curves_status},
            {"curves_error", page.curves_error},
            {"shown", page.shown ? shown_fleet_json(page) : JsonValue()}};
}

}  // namespace

void describe(const fleet::FleetRuns& runs, const Session& session, JsonValue& report) {
    report["fleet"] = fleet_report(runs.state(), session.opened_rank);
}

}  // namespace snapviewer::window_test
