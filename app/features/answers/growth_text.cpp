#include "app/features/answers/growth_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/number_text.h"

namespace snapviewer {

const GrowthRow& growth_row(const Growth& growth, std::size_t index) {
    return index < growth.suspects.size() ? growth.suspects[index] : growth.settled[index - growth.suspects.size()];
}

const char* growth_state_words(GrowthState state) {
    switch (state) {
        case GrowthState::leak: return "a leak";
        case GrowthState::possible: return "may be a leak";
        case GrowthState::settled: return "a cache that was filled";
        case GrowthState::fluctuating: return "rises and falls";
    }
    return "";
}

std::string growth_sentence(const Growth& growth) {
    if (!growth.reason.empty())
        return "No step boundaries found, so growth per step can't be measured: " + growth.reason + ".";
    const std::string warmup = growth.warmup == 0 ? "" : fmt::format(" ({} to warm up)", growth.warmup);
    const char* step = step_word(growth.training);
    return fmt::format(
        "Over {0} {1}s{2}, the total {4} by {3}: {5} per {6}.", format_count(growth.steps), step, warmup,
        format_bytes(static_cast<std::uint64_t>(growth.grown_bytes < 0 ? -growth.grown_bytes : growth.grown_bytes)),
        growth.grown_bytes < 0 ? "shrank" : "grew", format_signed_bytes(static_cast<std::int64_t>(growth.slope)), step);
}

std::string growth_row_facts(const GrowthRow& row, bool training) {
    const char* step = step_word(training);
    std::string text = fmt::format(
        "{}\n{}\n{} more at the end, in {} of {} {}s; {} per {}, median {}\nheld {} before the "
        "first {}, {} after the last",
        row.source, growth_state_words(row.state), format_signed_bytes(row.grown_bytes), row.rises, row.changes, step,
        format_signed_bytes(static_cast<std::int64_t>(row.slope)), step,
        format_signed_bytes(static_cast<std::int64_t>(row.robust_slope)), format_signed_bytes(row.held.front()), step,
        format_signed_bytes(row.held.back()));
    if (row.earlier_count > 0)
        text += fmt::format("\n{} more from the same stack ({}) predate the recording", format_count(row.earlier_count),
                            format_bytes(row.earlier_bytes));
    return text + "\nClick to see its allocations";
}

}  // namespace snapviewer
