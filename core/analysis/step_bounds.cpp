#include "core/analysis/step_bounds.h"

#include <algorithm>
#include <utility>

#include "core/timeline/recording_gaps.h"

namespace snapviewer {

std::size_t StepBounds::complete() const {
    return static_cast<std::size_t>(std::ranges::count(bounds, true, &Bounds::is_complete));
}

void keep_better(std::optional<StepBounds>& found, std::optional<StepBounds> next) {
    if (!found || (!has_enough_steps(found) && has_enough_steps(next))) found = std::move(next);
}

StepEvents::StepEvents(const Timeline& timeline) : snapshot_(timeline.snapshot()), trace_(timeline.trace()) {
    const EventColumns& events = trace_.events;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (events.action[i] == Action::alloc) allocs_.push_back(i);
    }
    if (!snapshot_.annotations.empty() && std::ranges::find(events.time_us, k_no_time) == events.time_us.end()) {
        latest_us_ = events.time_us;
        for (std::size_t i = 1; i < latest_us_.size(); ++i) latest_us_[i] = std::max(latest_us_[i], latest_us_[i - 1]);
    }
    has_unmatched_frees_ = std::ranges::find(trace_.allocations.origin, Origin::freed) != trace_.allocations.origin.end();
    has_overflowed_ = says_overflowed(snapshot_);
}

std::uint32_t StepEvents::at_time(std::int64_t time_us) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(latest_us_, time_us) - latest_us_.begin());
}

std::uint64_t StepEvents::allocs_in(std::uint32_t begin_event, std::uint32_t end_event) const {
    const auto begin = std::ranges::lower_bound(allocs_, begin_event);
    return static_cast<std::uint64_t>(std::lower_bound(begin, allocs_.end(), end_event) - begin);
}

std::optional<StepBounds> steps_between(const StepEvents& events, const std::vector<std::uint32_t>& marks, StepMethod method,
                                        double confidence) {
    StepBounds found{method, confidence, {}};
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        const std::uint64_t count = events.allocs_in(marks[i - 1], marks[i]);
        if (count == 0) continue;
        counts.push_back(count);
        found.bounds.push_back({marks[i - 1], marks[i], true});
    }
    if (counts.empty()) return std::nullopt;
    std::ranges::sort(counts);
    const auto typical = static_cast<double>(counts[counts.size() / 2]);
    const auto before = static_cast<double>(events.allocs_in(0, marks.front()));
    if (before > 0) {
        const bool is_like_the_others = 0.9 * typical <= before && before <= 3 * typical;
        found.bounds.insert(found.bounds.begin(), {0, marks.front(), !events.is_wrapped() && is_like_the_others});
    }
    if (events.allocs_in(marks.back(), events.count()) > 0) found.bounds.push_back({marks.back(), events.count(), false});
    return found;
}

}  // namespace snapviewer
