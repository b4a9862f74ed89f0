#include "core/analysis/compare_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/analysis/comparison.h"
#include "core/analysis/comparison_limits.h"
#include "core/analysis/event_steps.h"
#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<PeakComparison::Row>;

constexpr std::size_t k_differences_in_text = 5;

Json box_json(const Rows& rows) {
    const ComparedSums sums(rows);
    return {{"rows", rows.size()},     {"bytes_a", sums.bytes_a}, {"bytes_b", sums.bytes_b},
            {"count_a", sums.count_a}, {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
}

Json rows_json(const Rows& rows) {
    Json json = Json::array();
    for (const PeakComparison::Row& row : rows) {
        check_stop();
        json.push_back({{"key", row.key},
                        {"source", row.source},
                        {"bytes_a", row.bytes_a},
                        {"count_a", row.count_a},
                        {"bytes_b", row.bytes_b},
                        {"count_b", row.count_b},
                        {"delta", row.delta_bytes()}});
    }
    return json;
}

Json alignment_json(const Alignment& alignment) {
    Json json = {
        {"method", alignment_method_name(alignment.method)}, {"points", alignment.points}, {"steps", Json::array()}};
    for (const auto& [a, b] : alignment.steps) {
        json["steps"].push_back({{"name_a", a->name},
                                 {"name_b", b->name},
                                 {"peak_a", a->peak_bytes},
                                 {"peak_b", b->peak_bytes},
                                 {"delta", static_cast<std::int64_t>(b->peak_bytes - a->peak_bytes)},
                                 {"live_end_a", a->live_end_bytes},
                                 {"live_end_b", b->live_end_bytes},
                                 {"allocs_a", a->allocs},
                                 {"allocs_b", b->allocs}});
    }
    return json;
}

Json settings_json(const std::vector<SettingDifference>& settings) {
    const auto value = [](const std::string& text) { return text.empty() ? Json() : parse_ordered_json(text); };
    Json json = Json::array();
    for (const SettingDifference& each : settings) {
        check_stop();
        json.push_back({{"key", each.key}, {"a", value(each.a)}, {"b", value(each.b)}});
    }
    return json;
}

Json moved_json(const std::optional<MovedLines>& moved) {
    if (!moved) return nullptr;
    const auto left = [](const MovedLines::Left& each) { return Json{{"rows", each.rows}, {"bytes", each.bytes}}; };
    return {{"moved", moved->bytes}, {"only_a", left(moved->only_a)}, {"only_b", left(moved->only_b)}};
}

Json event_json(const DeviceAnalyses& device, const ComparedPeak& peak) {
    const bool is_behind_cut = is_peak_behind_cut(device.timeline());
    const auto event = is_behind_cut ? std::nullopt : device.event_id_of_moment(peak.moment);
    return event ? Json(*event) : Json();
}

std::string box_text(const char* name, const Rows& rows) {
    std::string text =
        fmt::format("{}: {}, {}\n", name, counted(rows.size(), "row"), format_difference(ComparedSums(rows).delta_bytes()));
    for (std::size_t i = 0; i < rows.size() && i < k_differences_in_text; ++i) {
        text += fmt::format("{:>14}  {} ({} -> {})\n", format_difference(rows[i].delta_bytes()), rows[i].source,
                            format_bytes(rows[i].bytes_a), format_bytes(rows[i].bytes_b));
    }
    return text;
}

}  // namespace

Json compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis) {
    const auto found = compare_devices(a, b, by, basis);
    const auto steps_a = a.steps();
    const auto steps_b = b.steps();
    const PeakComparison& peaks = found.peaks;
    Json json{
        {"by", compare_by_names()[static_cast<std::size_t>(by)]},
        {"basis", compare_basis_names()[static_cast<std::size_t>(basis)]},
        {"peak_a", found.a.bytes},
        {"peak_b", found.b.bytes},
        {"peak_a_is_lower_bound", found.a.known.is_lower_bound},
        {"peak_b_is_lower_bound", found.b.known.is_lower_bound},
        {"event_a", event_json(a, found.a)},
        {"event_b", event_json(b, found.b)},
        {"step_a", step_of_moment(a.timeline(), found.a.moment)},
        {"step_b", step_of_moment(b.timeline(), found.b.moment)},
        {"delta", found.delta_bytes()},
        {"groups", {{"only_a", box_json(peaks.only_a)}, {"both", box_json(peaks.both)}, {"only_b", box_json(peaks.only_b)}}},
        {"reserved_a", found.a.reserved_bytes},
        {"reserved_b", found.b.reserved_bytes},
        {"rows",
         {{"only_a", rows_json(peaks.only_a)}, {"both", rows_json(peaks.both)}, {"only_b", rows_json(peaks.only_b)}}},
        {"other_lines", by == CompareBy::source ? Json(nullptr) : moved_json(found.moved)},
        {"settings", nullptr},
        {"alignment", alignment_json(align_steps(*steps_a, *steps_b))},
        {"limits", comparison_limits(a, b, found)}};
    // Assigned separately because an initializer list would copy the settings.
    json["settings"] = settings_json(found.settings);
    return json;
}

std::string compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis) {
    const auto found = compare_devices(a, b, by, basis);
    const PeakComparison& peaks = found.peaks;
    const auto word = [](const ComparedPeak& peak) { return std::string(peak.known.is_at_end ? "at the end" : "peak"); };
    const auto amount = [](const ComparedPeak& peak) {
        const bool is_at_least = peak.known.is_lower_bound && !peak.known.is_at_end;
        return (is_at_least ? "at least " : "") + format_bytes(peak.bytes);
    };
    std::string text = fmt::format("{} {} -> {}{} ({})\n", word(found.a), amount(found.a),
                                   word(found.a) == word(found.b) ? "" : word(found.b) + " ", amount(found.b),
                                   format_difference(found.delta_bytes()));
    text += box_text("only in A", peaks.only_a) + box_text("in both", peaks.both) + box_text("only in B", peaks.only_b);
    for (const SettingDifference& each : found.settings) {
        text += fmt::format("setting {}: {} -> {}\n", each.key, each.a.empty() ? "not there" : each.a,
                            each.b.empty() ? "not there" : each.b);
    }
    for (const std::string& limit : comparison_limits(a, b, found)) text += "note: " + limit + "\n";
    return text;
}

}  // namespace snapviewer
