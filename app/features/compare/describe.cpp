#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/compare/compare_runs.h"
#include "app/features/compare/compare_tasks.h"
#include "app/features/compare/compare_text.h"
#include "app/features/compare/compared_picture.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_most_compared_rows = 50;

JsonValue boxes_json(const PeakComparison& peaks) {
    JsonValue boxes = JsonValue::object();
    for (const ComparedBox box : k_compared_boxes) {
        const auto& rows = rows_of(peaks, box);
        const ComparedSums sums(rows);
        boxes[compared_box_name(box)] = {{"rows", rows.size()},     {"bytes_a", sums.bytes_a},
                                         {"bytes_b", sums.bytes_b}, {"count_a", sums.count_a},
                                         {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
    }
    return boxes;
}

JsonValue first_compared_rows(const CompareState& page) {
    JsonValue rows = JsonValue::array();
    if (page.arranged != page.shown.get()) return rows;
    for (std::size_t i = 0; i < std::min(page.places.size(), k_most_compared_rows); ++i) {
        const ComparedPlace& place = page.places[i];
        const PeakComparison::Row& row = rows_of(page.shown->comparison.peaks, place.box)[place.row];
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

JsonValue view_json(const View& view) { return {view.x_begin, view.x_end, view.y_begin, view.y_end}; }

JsonValue compared_allocation_json(const std::optional<ComparedAllocation>& allocation) {
    if (!allocation) return nullptr;
    return {{"side", allocation->side == ComparedSide::a ? "a" : "b"}, {"index", allocation->id.value}};
}

JsonValue compared_pictures_json(const CompareState& page) {
    const ComparedPicturesState& pictures = page.pictures;
    if (pictures.made == nullptr) return nullptr;
    const SharedAxis axis = pictures.made->axis().moved(pictures.later_steps);
    const Timeline& b = pictures.made->timeline_b();
    return {{"view", view_json(pictures.view)},
            {"later_steps", pictures.later_steps},
            {"axis", {axis.begin(), axis.end()}},
            {"b_lies", {axis.place_of_b(0), axis.place_of_b(static_cast<double>(b.step_count()))}},
            {"curves_follow", (pictures.later_steps != 0) == (pictures.moved_curves != nullptr)},
            {"hovered", compared_allocation_json(pictures.hovered)},
            {"chosen", compared_allocation_json(pictures.chosen)},
            {"lit_b", page.lit_b == nullptr ? JsonValue(nullptr) : JsonValue(page.lit_b->count())},
            {"error", pictures.error}};
}

JsonValue shown_json(const CompareState& page) {
    const ShownComparison& shown = *page.shown;
    JsonValue settings = JsonValue::array();
    for (const SettingDifference& each : shown.comparison.settings)
        settings.push_back({{"key", each.key}, {"a", each.a}, {"b", each.b}});
    return {{"by", compare_by_names()[static_cast<std::size_t>(shown.comparison.by)]},
            {"basis", compare_basis_names()[static_cast<std::size_t>(shown.comparison.basis)]},
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
            {"alignment", {{"method", alignment_method_name(shown.alignment.method)}, {"points", shown.alignment.points}}},
            {"curves", {{"most_a", most_of(shown.curves.a)}, {"most_b", most_of(shown.curves.b)}}},
            {"sentence", peaks_sentence(shown.comparison)},
            {"aligned", alignment_sentence(shown.alignment, *shown.steps_a, *shown.steps_b)},
            {"limits", shown.limits}};
}

JsonValue compare_report(const AppState& state) {
    if (!state.compare.is_open) return nullptr;
    const CompareState& page = state.compare;
    return {{"b", page.path},
            {"shown", page.shown ? shown_json(page) : JsonValue(nullptr)},
            {"chosen", page.chosen_key},
            {"pictures", compared_pictures_json(page)},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error}};
}

}  // namespace

void CompareRuns::describe(nlohmann::json& report) const { report["compare"] = compare_report(state_); }

}  // namespace snapviewer
