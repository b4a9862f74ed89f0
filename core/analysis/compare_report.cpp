#include "core/analysis/compare_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/analysis/event_steps.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<PeakComparison::Row>;

constexpr std::size_t k_differences_in_text = 5;

/// One side of a comparison.
struct ComparedPeak {
    PeakGroups groups;
    std::uint64_t bytes = 0;
    std::uint32_t moment = 0;
};

Result<ComparedPeak> peak_of(DeviceAnalyses& device, CompareBy by, CompareBasis basis, const Progress* progress) {
    const auto lines = device.stack_lines(progress);
    if (!lines) return lines.error();
    auto groups = group_peak(device.timeline(), **lines, by, basis, progress);
    if (!groups) return groups.error();
    ComparedPeak peak{std::move(*groups), 0, 0};
    for (const auto& [key, group] : peak.groups.groups) peak.bytes += group.bytes;
    peak.moment = device.timeline().tick_events()[peak.groups.tick];
    return peak;
}

struct BoxSums {
    explicit BoxSums(const Rows& rows) {
        for (const PeakComparison::Row& row : rows) {
            bytes_a += row.bytes_a;
            bytes_b += row.bytes_b;
            count_a += row.count_a;
            count_b += row.count_b;
        }
    }
    std::int64_t delta_bytes() const { return static_cast<std::int64_t>(bytes_b - bytes_a); }
    std::uint64_t bytes_a = 0;
    std::uint64_t bytes_b = 0;
    std::uint64_t count_a = 0;
    std::uint64_t count_b = 0;
};

Json box_json(const Rows& rows) {
    const BoxSums sums(rows);
    return {{"rows", rows.size()},     {"bytes_a", sums.bytes_a}, {"bytes_b", sums.bytes_b},
            {"count_a", sums.count_a}, {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
}

Json rows_json(const Rows& rows) {
    Json json = Json::array();
    for (const PeakComparison::Row& row : rows) {
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

const char* alignment_name(Alignment::Method method) {
    switch (method) {
        case Alignment::Method::start: return "start";
        case Alignment::Method::step_order: return "step order";
        case Alignment::Method::step_number: return "step number";
    }
    return "";
}

Json alignment_json(const Alignment& alignment) {
    Json json = {{"method", alignment_name(alignment.method)}, {"points", alignment.points}, {"steps", Json::array()}};
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

Json settings_json(const Snapshot& a, const Snapshot& b) {
    const auto value = [](const std::string& text) { return text.empty() ? Json() : Json::parse(text, nullptr, false); };
    Json json = Json::array();
    for (const SettingDifference& each : compare_settings(a, b)) {
        json.push_back({{"key", each.key}, {"a", value(each.a)}, {"b", value(each.b)}});
    }
    return json;
}

Json event_json(const DeviceAnalyses& device, const ComparedPeak& peak) {
    const auto event = device.event_id_of_moment(peak.moment);
    return event ? Json(*event) : Json();
}

std::uint64_t reserved_bytes(const DeviceAnalyses& device) {
    std::uint64_t bytes = 0;
    for (const Segment& segment : device.snapshot().segments) {
        if (segment.device == device.trace().device) bytes += segment.total_bytes;
    }
    return bytes;
}

std::string difference_text(std::int64_t bytes) {
    return bytes < 0 ? "-" + format_bytes(static_cast<std::uint64_t>(-bytes))
                     : "+" + format_bytes(static_cast<std::uint64_t>(bytes));
}

std::string box_text(const char* name, const Rows& rows) {
    std::string text =
        fmt::format("{}: {} rows, {}\n", name, format_count(rows.size()), difference_text(BoxSums(rows).delta_bytes()));
    for (std::size_t i = 0; i < rows.size() && i < k_differences_in_text; ++i) {
        text += fmt::format("{:>14}  {} ({} -> {})\n", difference_text(rows[i].delta_bytes()), rows[i].source,
                            format_bytes(rows[i].bytes_a), format_bytes(rows[i].bytes_b));
    }
    return text;
}

}  // namespace

Result<Json> compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis, const Progress* progress) {
    const auto peak_a = peak_of(a, by, basis, progress);
    if (!peak_a) return peak_a.error();
    const auto peak_b = peak_of(b, by, basis, progress);
    if (!peak_b) return peak_b.error();
    const auto steps_a = a.steps(progress);
    if (!steps_a) return steps_a.error();
    const auto steps_b = b.steps(progress);
    if (!steps_b) return steps_b.error();
    const PeakComparison found = compare_peaks(peak_a->groups, peak_b->groups);
    return Json{
        {"by", compare_by_names()[static_cast<std::size_t>(by)]},
        {"basis", compare_basis_names()[static_cast<std::size_t>(basis)]},
        {"peak_a", peak_a->bytes},
        {"peak_b", peak_b->bytes},
        {"event_a", event_json(a, *peak_a)},
        {"event_b", event_json(b, *peak_b)},
        {"step_a", step_of_moment(a.timeline(), peak_a->moment)},
        {"step_b", step_of_moment(b.timeline(), peak_b->moment)},
        {"delta", static_cast<std::int64_t>(peak_b->bytes - peak_a->bytes)},
        {"groups", {{"only_a", box_json(found.only_a)}, {"both", box_json(found.both)}, {"only_b", box_json(found.only_b)}}},
        {"reserved_a", reserved_bytes(a)},
        {"reserved_b", reserved_bytes(b)},
        {"rows",
         {{"only_a", rows_json(found.only_a)}, {"both", rows_json(found.both)}, {"only_b", rows_json(found.only_b)}}},
        {"settings", settings_json(a.snapshot(), b.snapshot())},
        {"alignment", alignment_json(align_steps(**steps_a, **steps_b))}};
}

Result<std::string> compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis,
                                 const Progress* progress) {
    const auto peak_a = peak_of(a, by, basis, progress);
    if (!peak_a) return peak_a.error();
    const auto peak_b = peak_of(b, by, basis, progress);
    if (!peak_b) return peak_b.error();
    const PeakComparison found = compare_peaks(peak_a->groups, peak_b->groups);
    std::string text = fmt::format("peak {} -> {} ({})\n", format_bytes(peak_a->bytes), format_bytes(peak_b->bytes),
                                   difference_text(static_cast<std::int64_t>(peak_b->bytes - peak_a->bytes)));
    text += box_text("only in A", found.only_a) + box_text("in both", found.both) + box_text("only in B", found.only_b);
    for (const SettingDifference& each : compare_settings(a.snapshot(), b.snapshot())) {
        text += fmt::format("setting {}: {} -> {}\n", each.key, each.a.empty() ? "not there" : each.a,
                            each.b.empty() ? "not there" : each.b);
    }
    return text;
}

}  // namespace snapviewer
