#include "core/analysis/comparison_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/analysis/allocator_rules.h"
#include "core/analysis/limits.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

/// Returns true for files by PyTorch, and for SnapViewer's files, which are converted from PyTorch's snapshots.
bool is_of_pytorch(FileKind kind) {
    return is_pytorch_recording(kind) || kind == FileKind::snapviewer_zip || kind == FileKind::snapviewer_folder;
}

std::string kind_words(FileKind kind) {
    std::string words = file_kind_name(kind);
    std::ranges::replace(words, '_', ' ');
    return words;
}

void add_kinds(const Snapshot& a, const Snapshot& b, std::vector<std::string>& limits) {
    if (a.kind == b.kind || (is_of_pytorch(a.kind) && is_of_pytorch(b.kind))) return;
    limits.push_back(fmt::format("A is a {} and B a {}. They count different things as memory and name stacks differently.",
                                 kind_words(a.kind), kind_words(b.kind)));
}

std::string part_words(const DeviceAnalyses& device) {
    return device.trace().part.empty() ? "the device's own memory" : device.trace().part;
}

void add_parts(const DeviceAnalyses& a, const DeviceAnalyses& b, std::vector<std::string>& limits) {
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

void add_lost_beginning(const DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    const std::string why = why_not_whole(device);
    if (!why.empty()) limits.push_back(fmt::format("In {}, {}.", name, why));
}

void add_damage(const DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    for (const ImportEntry& entry : device.snapshot().log.entries()) {
        if (entry.severity != Severity::data_loss) continue;
        limits.push_back(fmt::format("A part of {} is missing: {}.{}", name, entry.message,
                                     is_cut_off(device.timeline()) ? " Its peak is at least what is shown." : ""));
        return;
    }
}

/// Reports rows of allocations whose origin is unknown: those from before the recording, and those without a stack.
void add_unknown(const Comparison& comparison, std::vector<std::string>& limits) {
    for (const auto* rows : {&comparison.peaks.only_a, &comparison.peaks.both, &comparison.peaks.only_b}) {
        for (const PeakComparison::Row& row : *rows) {
            const bool is_before = row.key == k_compared_before;
            if (!is_before && row.key != k_compared_no_stack) continue;
            limits.push_back(
                fmt::format("{} of A's peak and {} of B's {}. They share one row because they cannot be distinguished.",
                            format_bytes(row.bytes_a), format_bytes(row.bytes_b),
                            is_before ? "were allocated before the recording" : "have no stack"));
        }
    }
}

using Rows = std::vector<PeakComparison::Row>;

/// Sums the bytes of rows by source line, for the rows that have stacks.
std::map<std::string_view, std::uint64_t> bytes_by_source(const Rows& rows, std::uint64_t PeakComparison::Row::*bytes) {
    std::map<std::string_view, std::uint64_t> sums;
    for (const PeakComparison::Row& row : rows) {
        if (row.key != k_compared_before && row.key != k_compared_no_stack) sums[row.source] += row.*bytes;
    }
    return sums;
}

/// Reports rows that only one side has although both sides have their source line: with another numeric precision, or in
/// another build of PyTorch, the same line calls other C++ functions. Uses the thresholds of moved lines; reports nothing if
/// lines have moved.
void add_other_frames(const Comparison& comparison, std::vector<std::string>& limits) {
    const bool has_stacks =
        comparison.by == CompareBy::stack || comparison.by == CompareBy::python || comparison.by == CompareBy::function;
    if (!has_stacks || comparison.moved) return;
    const auto only_b = bytes_by_source(comparison.peaks.only_b, &PeakComparison::Row::bytes_b);
    std::uint64_t common = 0;
    for (const auto& [source, bytes] : bytes_by_source(comparison.peaks.only_a, &PeakComparison::Row::bytes_a)) {
        if (const auto found = only_b.find(source); found != only_b.end()) common += std::min(bytes, found->second);
    }
    const std::uint64_t lesser =
        std::min(ComparedSums(comparison.peaks.only_a).bytes_a, ComparedSums(comparison.peaks.only_b).bytes_b);
    if (common == 0 || common < lesser / 2 || common < std::max(comparison.a.bytes, comparison.b.bytes) / 100) return;
    limits.push_back(
        fmt::format("{} of what only one file holds comes from the same lines of your code, through other frames, as in "
                    "another precision or another build of PyTorch. Grouping by line (--by source) matches it.",
                    format_bytes(common)));
}

/// Reports hidden changes of at least 1 % of the higher peak, the same threshold as for moved lines.
void add_hidden_change(const Comparison& comparison, std::vector<std::string>& limits) {
    if (comparison.hidden_bytes == 0 || comparison.hidden_bytes < std::max(comparison.a.bytes, comparison.b.bytes) / 100)
        return;
    limits.push_back(
        fmt::format("These rows hide {} of changes, because increases and decreases under one {} cancel out. Grouping by "
                    "function (--by function) hides less.",
                    format_bytes(comparison.hidden_bytes),
                    comparison.by == CompareBy::kind     ? "kind"
                    : comparison.by == CompareBy::module ? "module"
                                                         : "line"));
}

}  // namespace

std::vector<std::string> comparison_limits(const DeviceAnalyses& a, const DeviceAnalyses& b, const Comparison& comparison) {
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
    if (comparison.moved) limits.push_back(moved_lines_sentence(*comparison.moved));
    return limits;
}

}  // namespace snapviewer
