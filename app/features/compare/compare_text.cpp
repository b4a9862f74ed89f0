#include "app/features/compare/compare_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/system/window_system.h"
#include "app/ui/shell_word.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr const char* k_side_names[] = {"A", "B"};

const char* row_noun(CompareBy by) {
    switch (by) {
        case CompareBy::stack: return "stack";
        case CompareBy::function: return "call path";
        case CompareBy::python: return "Python stack";
        case CompareBy::source: return "line";
        case CompareBy::kind: return "kind";
        case CompareBy::module: return "module";
    }
    return "";
}

}  // namespace

std::string peaks_sentence(const Comparison& comparison) {
    const std::int64_t delta = comparison.delta_bytes();
    if (comparison.a.known.is_lower_bound || comparison.b.known.is_lower_bound) {
        return fmt::format("A: {} {}, B: {} {}. Which peak is higher is unknown.", comparison.a.label(),
                           format_bytes(comparison.a.bytes), comparison.b.label(), format_bytes(comparison.b.bytes));
    }
    if (delta == 0) return "Both peaks are equal.";
    return fmt::format("B peaks {} {} than A.", format_bytes(static_cast<std::uint64_t>(delta < 0 ? -delta : delta)),
                       delta < 0 ? "lower" : "higher");
}

std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by) {
    const std::string allocations = sums.count_a == 0 || sums.count_b == 0
                                        ? format_count(sums.count_a + sums.count_b)
                                        : format_count(sums.count_a) + " → " + format_count(sums.count_b);
    return fmt::format("{}, {} allocation{}", counted(rows, row_noun(by)), allocations, allocations == "1" ? "" : "s");
}

std::string alignment_sentence(const Alignment& alignment, const Steps& a, const Steps& b) {
    const std::size_t count = alignment.steps.size();
    const std::string pairs = counted(count, "pair");
    switch (alignment.method) {
        case Alignment::Method::step_number: return "Aligned by training step number: " + pairs + ".";
        case Alignment::Method::step_order: return "Aligned by complete training steps, in order: " + pairs + ".";
        case Alignment::Method::start: break;
    }
    const int missing = a.steps.empty() && b.steps.empty() ? -1 : a.steps.empty() ? 0 : 1;
    return fmt::format("Each recording is scaled to the full width, because no training steps were found in {}.",
                       missing < 0 ? "either" : k_side_names[missing]);
}

std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis) {
    std::string line =
        fmt::format("snapviewer compare {} {}", shell_word(users_path(a.path)), shell_word(users_path(b.path)));
    if (a.device) line += fmt::format(" --device {}", *a.device);
    if (b.device) line += fmt::format(" --device2 {}", *b.device);
    if (by != CompareBy::stack) line += " --by " + compare_by_names()[static_cast<std::size_t>(by)];
    if (basis != CompareBasis::all) line += " --basis " + compare_basis_names()[static_cast<std::size_t>(basis)];
    return line;
}

}  // namespace snapviewer
