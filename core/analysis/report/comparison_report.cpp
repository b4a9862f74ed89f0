#include "core/analysis/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/limits.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer::report {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<compare::PeakComparison::Row>;

constexpr std::size_t k_differences_in_text = 5;

Json box_json(const Rows& rows) {
    const compare::ComparedSums sums(rows);
    return {{"rows", rows.size()},     {"bytes_a", sums.bytes_a}, {"bytes_b", sums.bytes_b},
            {"count_a", sums.count_a}, {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
}

Json rows_json(const Rows& rows) {
    return json_array(rows, [](const compare::PeakComparison::Row& row) {
        check_stop();
        return Json{
            {"key", row.key},         {"source", row.source},   {"bytes_a", row.bytes_a},    {"count_a", row.count_a},
            {"bytes_b", row.bytes_b}, {"count_b", row.count_b}, {"delta", row.delta_bytes()}};
    });
}

Json alignment_json(const compare::Alignment& alignment) {
    const auto steps_json = [](const auto& pair) {
        const auto& [a, b] = pair;
        return Json{{"name_a", a->name},
                    {"name_b", b->name},
                    {"peak_a", a->peak_bytes},
                    {"peak_b", b->peak_bytes},
                    {"delta", static_cast<std::int64_t>(b->peak_bytes - a->peak_bytes)},
                    {"live_end_a", a->live_end_bytes},
                    {"live_end_b", b->live_end_bytes},
                    {"allocs_a", a->allocs},
                    {"allocs_b", b->allocs}};
    };
    return {{"method", compare::alignment_method_name(alignment.method)},
            {"points", alignment.points},
            {"steps", json_array(alignment.steps, steps_json)}};
}

Json settings_json(const std::vector<compare::SettingDifference>& settings) {
    const auto value = [](const std::string& text) { return text.empty() ? Json() : parse_ordered_json(text); };
    return json_array(settings, [&](const compare::SettingDifference& each) {
        check_stop();
        return Json{{"key", each.key}, {"a", value(each.a)}, {"b", value(each.b)}};
    });
}

Json moved_json(const std::optional<compare::MovedLines>& moved) {
    if (!moved) return nullptr;
    const auto left = [](const compare::MovedLines::Left& each) { return Json{{"rows", each.rows}, {"bytes", each.bytes}}; };
    return {{"moved", moved->bytes}, {"only_a", left(moved->only_a)}, {"only_b", left(moved->only_b)}};
}

Json event_json(const findings::DeviceAnalyses& device, const compare::ComparedPeak& peak) {
    return is_peak_behind_cut(device.timeline()) ? Json() : value_or_null(device.event_id_of_moment(peak.moment));
}

std::string box_text(const char* name, const Rows& rows) {
    std::string text = fmt::format("{}: {}, {}\n", name, counted(rows.size(), "row"),
                                   format_difference(compare::ComparedSums(rows).delta_bytes()));
    for (const compare::PeakComparison::Row& row : rows | std::views::take(k_differences_in_text)) {
        text += fmt::format("{:>14}  {} ({} -> {})\n", format_difference(row.delta_bytes()), row.source,
                            format_bytes(row.bytes_a), format_bytes(row.bytes_b));
    }
    return text;
}

}  // namespace

Json compare_json(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, compare::CompareBy by,
                  compare::CompareBasis basis) {
    const auto found = compare::compare_devices(a, b, by, basis);
    const compare::PeakComparison& peaks = found.peaks;
    Json json{
        {"by", compare::compare_by_names()[static_cast<std::size_t>(by)]},
        {"basis", compare::compare_basis_names()[static_cast<std::size_t>(basis)]},
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
        {"other_lines", by == compare::CompareBy::source ? Json(nullptr) : moved_json(found.moved)},
        {"settings", nullptr},
        {"alignment", alignment_json(compare::align_steps(*a.steps(), *b.steps()))},
        {"limits", comparison_limits(a, b, found)}};
    // Assigned separately because an initializer list would copy the settings.
    json["settings"] = settings_json(found.settings);
    return json;
}

std::string compare_text(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, compare::CompareBy by,
                         compare::CompareBasis basis) {
    const auto found = compare::compare_devices(a, b, by, basis);
    const compare::PeakComparison& peaks = found.peaks;
    const auto word = [](const compare::ComparedPeak& peak) {
        return std::string(peak.known.is_at_end ? "at the end" : "peak");
    };
    const auto amount = [](const compare::ComparedPeak& peak) {
        const bool is_at_least = peak.known.is_lower_bound && !peak.known.is_at_end;
        return (is_at_least ? "at least " : "") + format_bytes(peak.bytes);
    };
    std::string text = fmt::format("{} {} -> {}{} ({})\n", word(found.a), amount(found.a),
                                   word(found.a) == word(found.b) ? "" : word(found.b) + " ", amount(found.b),
                                   format_difference(found.delta_bytes()));
    text += box_text("only in A", peaks.only_a) + box_text("in both", peaks.both) + box_text("only in B", peaks.only_b);
    for (const compare::SettingDifference& each : found.settings) {
        text += fmt::format("setting {}: {} -> {}\n", each.key, each.a.empty() ? "not there" : each.a,
                            each.b.empty() ? "not there" : each.b);
    }
    for (const std::string& limit : comparison_limits(a, b, found)) text += "note: " + limit + "\n";
    return text;
}

namespace {

/// Returns true for files by PyTorch, and for SnapViewer's files, which are converted from PyTorch's snapshots.
bool is_pytorch_kind(FileKind kind) {
    return is_pytorch_recording(kind) || kind == FileKind::snapviewer_zip || kind == FileKind::snapviewer_folder;
}

std::string kind_words(FileKind kind) {
    std::string words = file_kind_name(kind);
    std::ranges::replace(words, '_', ' ');
    return words;
}

void add_kinds(const Snapshot& a, const Snapshot& b, std::vector<std::string>& limits) {
    if (a.kind == b.kind || (is_pytorch_kind(a.kind) && is_pytorch_kind(b.kind))) return;
    limits.push_back(fmt::format("A is a {} and B a {}. They count different things as memory and name stacks differently.",
                                 kind_words(a.kind), kind_words(b.kind)));
}

std::string part_words(const findings::DeviceAnalyses& device) {
    return device.trace().part.empty() ? "the device's own memory" : device.trace().part;
}

void add_parts(const findings::DeviceAnalyses& a, const findings::DeviceAnalyses& b, std::vector<std::string>& limits) {
    if (a.trace().part == b.trace().part) return;
    limits.push_back(
        fmt::format("A is {}, but B is {}, which is a different kind of memory.", part_words(a), part_words(b)));
}

void add_rounding(const Snapshot& a, const Snapshot& b, std::vector<std::string>& limits) {
    const std::uint64_t of_a = AllocatorRules(a).padding_bytes();
    const std::uint64_t of_b = AllocatorRules(b).padding_bytes();
    if (of_a == of_b) return;
    limits.push_back(
        fmt::format("The allocators differ: {} adds {} to every request, so the same request may need 512 B more there.",
                    of_a > of_b ? "A's" : "B's", format_bytes(std::max(of_a, of_b) - std::min(of_a, of_b))));
}

void add_lost_beginning(const findings::DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    const std::string why = why_not_whole(device);
    if (!why.empty()) limits.push_back(fmt::format("In {}, {}.", name, why));
}

void add_damage(const findings::DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    for (const ImportEntry& entry : device.snapshot().log.entries()) {
        if (entry.severity != Severity::data_loss) continue;
        limits.push_back(fmt::format("A part of {} is missing: {}.{}", name, entry.message,
                                     is_cut_off(device.timeline()) ? " Its peak is at least what is shown." : ""));
        return;
    }
}

/// Reports rows of allocations whose origin is unknown: those from before the recording, and those without a stack.
void add_unknown(const compare::Comparison& comparison, std::vector<std::string>& limits) {
    for (const auto* rows : {&comparison.peaks.only_a, &comparison.peaks.both, &comparison.peaks.only_b}) {
        for (const compare::PeakComparison::Row& row : *rows) {
            const bool is_before = row.key == compare::k_compared_before;
            if (!is_before && row.key != compare::k_compared_no_stack) continue;
            limits.push_back(
                fmt::format("{} of A's peak and {} of B's {}. They share one row because they cannot be distinguished.",
                            format_bytes(row.bytes_a), format_bytes(row.bytes_b),
                            is_before ? "were allocated before the recording" : "have no stack"));
        }
    }
}

/// Sums the bytes of rows by source line, for the rows that have stacks.
std::map<std::string_view, std::uint64_t> bytes_by_source(const Rows& rows,
                                                          std::uint64_t compare::PeakComparison::Row::*bytes) {
    std::map<std::string_view, std::uint64_t> sums;
    for (const compare::PeakComparison::Row& row : rows) {
        if (row.key != compare::k_compared_before && row.key != compare::k_compared_no_stack) sums[row.source] += row.*bytes;
    }
    return sums;
}

/// Reports rows that only one side has although both sides have their source line: with another numeric precision, or in
/// another build of PyTorch, the same line calls other C++ functions. Uses the thresholds of moved lines; reports nothing if
/// lines have moved.
void add_other_frames(const compare::Comparison& comparison, std::vector<std::string>& limits) {
    const bool has_stacks = comparison.by == compare::CompareBy::stack || comparison.by == compare::CompareBy::python ||
                            comparison.by == compare::CompareBy::function;
    if (!has_stacks || comparison.moved) return;
    const auto only_b = bytes_by_source(comparison.peaks.only_b, &compare::PeakComparison::Row::bytes_b);
    std::uint64_t common = 0;
    for (const auto& [source, bytes] : bytes_by_source(comparison.peaks.only_a, &compare::PeakComparison::Row::bytes_a)) {
        if (const auto found = only_b.find(source); found != only_b.end()) common += std::min(bytes, found->second);
    }
    const std::uint64_t lesser = std::min(compare::ComparedSums(comparison.peaks.only_a).bytes_a,
                                          compare::ComparedSums(comparison.peaks.only_b).bytes_b);
    if (common == 0 || common < lesser / 2 || common < std::max(comparison.a.bytes, comparison.b.bytes) / 100) return;
    limits.push_back(
        fmt::format("{} of what only one file holds comes from the same lines of your code, through other frames, as in "
                    "another precision or another build of PyTorch. Grouping by line (--by source) matches it.",
                    format_bytes(common)));
}

/// Reports hidden changes of at least 1 % of the higher peak, the same threshold as for moved lines.
void add_hidden_change(const compare::Comparison& comparison, std::vector<std::string>& limits) {
    if (comparison.hidden_bytes == 0 || comparison.hidden_bytes < std::max(comparison.a.bytes, comparison.b.bytes) / 100)
        return;
    limits.push_back(
        fmt::format("These rows hide {} of changes, because increases and decreases under one {} cancel out. Grouping by "
                    "function (--by function) hides less.",
                    format_bytes(comparison.hidden_bytes),
                    comparison.by == compare::CompareBy::kind     ? "kind"
                    : comparison.by == compare::CompareBy::module ? "module"
                                                                  : "line"));
}

std::string moved_lines_text(const compare::MovedLines::Left& left, const char* name) {
    return fmt::format("{} only in {}", left.rows == 0 ? "nothing" : format_bytes(left.bytes), name);
}

void add_moved_lines(const compare::MovedLines& moved, std::vector<std::string>& limits) {
    const bool is_all = moved.only_a.rows == 0 && moved.only_b.rows == 0;
    limits.push_back(fmt::format(
        "{} of what only one file holds is the same code at other line numbers; grouped by function (--by "
        "function), {}",
        format_bytes(moved.bytes),
        is_all
            ? "neither file holds anything that the other does not."
            : fmt::format("{} and {} remain.", moved_lines_text(moved.only_a, "A"), moved_lines_text(moved.only_b, "B"))));
}

}  // namespace

std::vector<std::string> comparison_limits(const findings::DeviceAnalyses& a, const findings::DeviceAnalyses& b,
                                           const compare::Comparison& comparison) {
    std::vector<std::string> limits;
    add_kinds(a.snapshot(), b.snapshot(), limits);
    add_parts(a, b, limits);
    add_rounding(a.snapshot(), b.snapshot(), limits);
    add_lost_beginning(a, "A", limits);
    add_lost_beginning(b, "B", limits);
    add_damage(a, "A", limits);
    add_damage(b, "B", limits);
    add_unknown(comparison, limits);
    add_hidden_change(comparison, limits);
    add_other_frames(comparison, limits);
    if (comparison.moved) add_moved_lines(*comparison.moved, limits);
    return limits;
}

}  // namespace snapviewer::report
