#include "app/text/compare_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/text/shell_word.h"
#include "core/analysis/allocator_rules.h"
#include "core/analysis/limits.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr const char* k_names[] = {"A", "B"};

bool is_of_pytorch(FileKind kind) {
    switch (kind) {
        case FileKind::pytorch_pickle:
        case FileKind::pytorch_json:
        case FileKind::pytorch_html:
        case FileKind::snapviewer_zip:
        case FileKind::snapviewer_folder:
        case FileKind::insight_snapshot: return true;
        default: return false;
    }
}

std::string kind_words(FileKind kind) {
    std::string words = file_kind_name(kind);
    std::ranges::replace(words, '_', ' ');
    return words;
}

void add_kinds(const Snapshot& a, const Snapshot& b, std::vector<std::string>& limits) {
    if (a.kind == b.kind || (is_of_pytorch(a.kind) && is_of_pytorch(b.kind))) return;
    limits.push_back(
        fmt::format("A is a {}, B a {}: what they count as memory differs, and so do the names of their stacks.",
                    kind_words(a.kind), kind_words(b.kind)));
}

void add_rounding(const Snapshot& a, const Snapshot& b, std::vector<std::string>& limits) {
    const std::uint64_t of_a = AllocatorRules(a).padding_bytes();
    const std::uint64_t of_b = AllocatorRules(b).padding_bytes();
    if (of_a == of_b) return;
    limits.push_back(
        fmt::format("The allocators differ: {} adds {} to every request, so that the same one may take 512 B more there.",
                    of_a > of_b ? "A's" : "B's", format_bytes(std::max(of_a, of_b) - std::min(of_a, of_b))));
}

void add_lost_beginning(const DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    const std::string why = why_not_whole(device);
    if (!why.empty()) limits.push_back(fmt::format("In {}, {}.", name, why));
}

void add_damage(const DeviceAnalyses& device, const char* name, std::vector<std::string>& limits) {
    for (const ImportEntry& entry : device.snapshot().log.entries()) {
        if (entry.severity != Severity::data_loss) continue;
        limits.push_back(fmt::format("A part of {} is missing: {}.", name, entry.message));
        return;
    }
}

/// Rows that say nothing of where they come from.
void add_unknown(const Comparison& comparison, std::vector<std::string>& limits) {
    for (const auto* rows : {&comparison.peaks.only_a, &comparison.peaks.both, &comparison.peaks.only_b}) {
        for (const PeakComparison::Row& row : *rows) {
            const bool is_before = row.key == k_compared_before;
            if (!is_before && row.key != k_compared_no_stack) continue;
            limits.push_back(fmt::format("{} of A's peak and {} of B's {}: as one row, for nothing tells them apart.",
                                         format_bytes(row.bytes_a), format_bytes(row.bytes_b),
                                         is_before ? "were allocated before the recording" : "have no stack"));
        }
    }
}

const char* row_noun(CompareBy by) {
    switch (by) {
        case CompareBy::stack: return "stack";
        case CompareBy::function: return "chain of functions";
        case CompareBy::python: return "Python stack";
        case CompareBy::source: return "source";
    }
    return "";
}

std::string row_nouns(CompareBy by) {
    return by == CompareBy::function ? "chains of functions" : std::string(row_noun(by)) + "s";
}

}  // namespace

std::string peaks_sentence(const Comparison& comparison) {
    const std::int64_t delta = comparison.delta_bytes();
    if (delta == 0) return "Both peak alike.";
    return fmt::format("B peaks {} {} than A.", format_bytes(static_cast<std::uint64_t>(delta < 0 ? -delta : delta), 2),
                       delta < 0 ? "lower" : "higher");
}

std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by) {
    const std::string allocations = sums.count_a == 0 || sums.count_b == 0
                                        ? format_count(sums.count_a + sums.count_b)
                                        : format_count(sums.count_a) + " → " + format_count(sums.count_b);
    return fmt::format("{} {}, {} allocation{}", format_count(rows), rows == 1 ? row_noun(by) : row_nouns(by), allocations,
                       allocations == "1" ? "" : "s");
}

std::string alignment_sentence(const Alignment& alignment, const Steps& a, const Steps& b) {
    const std::size_t count = alignment.steps.size();
    const std::string pairs = fmt::format("{} pair{}", format_count(count), count == 1 ? "" : "s");
    switch (alignment.method) {
        case Alignment::Method::step_number:
            return "Training steps with the same number lie over each other: " + pairs + ".";
        case Alignment::Method::step_order:
            return "Complete training steps lie over each other in their order: " + pairs + ".";
        case Alignment::Method::start: break;
    }
    const int missing = a.steps.empty() && b.steps.empty() ? -1 : a.steps.empty() ? 0 : 1;
    return fmt::format("Each recording takes the whole width, for training steps cannot be told in {}.",
                       missing < 0 ? "either" : k_names[missing]);
}

std::vector<std::string> comparison_limits(const DeviceAnalyses& a, const DeviceAnalyses& b, const Comparison& comparison) {
    std::vector<std::string> limits;
    add_kinds(a.snapshot(), b.snapshot(), limits);
    add_rounding(a.snapshot(), b.snapshot(), limits);
    add_lost_beginning(a, "A", limits);
    add_lost_beginning(b, "B", limits);
    add_damage(a, "A", limits);
    add_damage(b, "B", limits);
    add_unknown(comparison, limits);
    return limits;
}

std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis) {
    std::string line = fmt::format("snapviewer compare {} {}", shell_word(a.path), shell_word(b.path));
    if (a.device) line += fmt::format(" --device {}", *a.device);
    if (b.device) line += fmt::format(" --device2 {}", *b.device);
    if (by != CompareBy::stack) line += " --by " + compare_by_names()[static_cast<std::size_t>(by)];
    if (basis != CompareBasis::all) line += " --basis " + compare_basis_names()[static_cast<std::size_t>(basis)];
    return line;
}

}  // namespace snapviewer
