#include "app/features/what_if/what_if_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"
#include "core/replay/replay_text.h"

namespace snapviewer {
namespace {

std::string exact_bytes(std::uint64_t bytes) { return format_bytes(bytes, 2); }

using ByteRange = std::pair<std::uint64_t, std::uint64_t>;

std::string range_text(const ByteRange& range) {
    const std::string least = exact_bytes(range.first);
    return range.first == range.second ? least : fmt::format("{} to {}", least, exact_bytes(range.second));
}

std::string limit_text(std::uint64_t bytes) { return bytes >= k_unlimited_bytes ? "no limit" : format_bytes(bytes, 0); }

std::string divisions_text(const AllocatorSettings& settings) {
    const std::uint32_t first = settings.roundup.front();
    const bool is_one = std::ranges::all_of(settings.roundup, [&](std::uint32_t each) { return each == first; });
    if (!is_one) return "by size";
    return first <= 1 ? "off" : std::to_string(first);
}

}  // namespace

std::string agreement_sentence(const ReplayBasis& basis) {
    const ReplayAgreement& agreement = basis.agreement;
    const std::string why = agreement.is_usable() ? "" : why_not_repeated(basis);
    return fmt::format(
        "Replay of the recording: {} of {} get their recorded address, {:.1f} % of the segment events are "
        "reproduced, reserved memory differs by at most {}.{}{}",
        format_count(agreement.placed), counted(agreement.requests, "allocation"), 100 * agreement.event_agreement,
        exact_bytes(agreement.curve_max_bytes), why.empty() ? "" : "\n", why.substr(0, why.find_last_not_of('\n') + 1));
}

std::string verdict_sentence(const ReplayAnswer& answer) {
    if (!answer.refused.empty()) return fmt::format("No answer: {}.", fmt::join(answer.refused, "; "));
    const std::string card = exact_bytes(answer.settings.capacity);
    switch (answer.answer->verdict) {
        case WhatIfVerdict::no_card_size: return "No verdict, because the size of the card is unknown. Enter a capacity.";
        case WhatIfVerdict::fits: return fmt::format("Fits into {}.", card);
        case WhatIfVerdict::does_not_fit: return fmt::format("Does not fit into {}.", card);
        case WhatIfVerdict::cannot_be_told:
            return fmt::format("Uncertain: whether it fits into {} depends on the addresses.", card);
    }
    return "";
}

std::string recorded_value(const AllocatorSettings& settings, std::string_view name) {
    if (name == "expandable_segments") return settings.expandable ? "true" : "false";
    if (name == "max_split_size_mb") return limit_text(settings.max_split);
    if (name == "roundup_power2_divisions") return divisions_text(settings);
    if (name == "garbage_collection_threshold")
        return settings.gc_threshold > 0 ? fmt::format("{}", settings.gc_threshold) : "off";
    return settings.capacity > 0 ? exact_bytes(settings.capacity) : "unknown";
}

std::string peak_range_text(const WhatIfMode& mode) {
    if (!mode.start_fits) return "the memory held at the start does not fit";
    return mode.peak_range ? range_text(*mode.peak_range) : exact_bytes(mode.peak_reserved_bytes);
}

std::string peak_range_text(const WhatIf& answer) {
    std::optional<ByteRange> all;
    for (const WhatIfMode& mode : answer.modes) {
        const auto& range = mode.peak_range;
        if (!range) continue;
        all = all ? ByteRange(std::min(all->first, range->first), std::max(all->second, range->second)) : *range;
    }
    return all ? range_text(*all) : "";
}

std::string peak_change_text(const std::optional<std::int64_t>& change_bytes) {
    if (!change_bytes) return "start does not fit";
    if (*change_bytes == 0) return "no change";
    const bool is_less = *change_bytes < 0;
    return (is_less ? "-" : "+") + exact_bytes(static_cast<std::uint64_t>(is_less ? -*change_bytes : *change_bytes));
}

std::string failure_text(const RecordedRun& run, const ReplayOom& oom) {
    return fmt::format("The request of {} at event {} fails: {} reserved, largest free block {}",
                       exact_bytes(oom.requested_bytes), format_count(static_cast<std::uint64_t>(run.event_id(oom.event))),
                       exact_bytes(oom.reserved_bytes), exact_bytes(oom.largest_free_bytes));
}

std::string retried_text(const RecordedRun& run, const RetriedOom& oom) {
    return fmt::format("The request of {} that failed at event {} {}", exact_bytes(oom.requested_bytes),
                       format_count(static_cast<std::uint64_t>(run.event_id(oom.event))),
                       oom.reserved_with_it_bytes ? "fits here" : "also fails here");
}

}  // namespace snapviewer
