#include "app/features/what_if/what_if_tasks.h"

#include <algorithm>
#include <optional>

#include "app/features/address_map/block_colours.h"
#include "app/ui/within_memory.h"
#include "core/analysis/findings/analyses.h"
#include "core/analysis/space/address_map.h"
#include "core/base/memory.h"

namespace snapviewer {
namespace {

/// Reduces reserved memory to k_curve_columns maxima. `reserved_after(i)` returns the reserved bytes after event `i`, or
/// nullopt if they did not change. Only events below `end` are used.
template <typename Reserved>
std::vector<std::uint64_t> reserved_curve(std::size_t events, std::size_t end, std::uint64_t at_start,
                                          const Reserved& reserved_after) {
    if (events == 0) return {};
    const std::size_t columns = std::min(k_curve_columns, events);
    std::vector<std::uint64_t> curve;
    curve.reserve(columns);
    std::uint64_t now = at_start;
    for (std::size_t i = 0; i < std::min(end, events); ++i) {
        now = reserved_after(i).value_or(now);
        if (i * columns / events == curve.size())
            curve.push_back(now);
        else
            curve.back() = std::max(curve.back(), now);
    }
    return curve;
}

std::vector<std::uint64_t> curve_of_mode(const WhatIfMode& mode, std::size_t events) {
    if (!mode.start_fits) return {};
    return reserved_curve(events, mode.oom ? mode.oom->event : events, mode.start_reserved_bytes,
                          [&](std::size_t i) { return mode.reserved_after[i]; });
}

/// Frees the vectors that have one entry per event, so that answers stay small.
void leave_out_long_parts(WhatIf& answer) {
    for (WhatIfMode& mode : answer.modes) {
        give_back(mode.reserved_after);
        give_back(mode.fragmentation);
        give_back(mode.segments_at_peak);
    }
}

}  // namespace

Job<RepeatOutcome>::Work make_repeating_job(std::shared_ptr<const Document> document, std::size_t device_index) {
    return [document = std::move(document), device_index](Progress&) {
        return within_memory<RepeatOutcome>(document->snapshot->read_bytes, [&]() -> RepeatOutcome {
            const Snapshot& snapshot = *document->snapshot;
            auto basis = replay_basis(snapshot, snapshot.devices[device_index]);
            const RecordedRun& run = basis.run;
            auto curve = reserved_curve(run.event_count(), run.event_count(), run.start.reserved_bytes,
                                        [&](std::size_t i) { return std::optional(run.reserved_after[i]); });
            return std::make_shared<const RepeatedRecording>(
                RepeatedRecording{document, device_index, std::move(basis), std::move(curve)});
        });
    };
}

Job<AskOutcome>::Work make_asking_job(std::shared_ptr<const RepeatedRecording> recording, ChangedSettings settings) {
    return [recording = std::move(recording), settings = std::move(settings)](Progress&) {
        return within_memory<AskOutcome>(recording->document->snapshot->read_bytes, [&]() -> AskOutcome {
            AnsweredQuestion answered{settings, ask_replay(recording->basis, {.settings = settings}), {}};
            if (answered.answer.answer) {
                WhatIf& what_if = *answered.answer.answer;
                for (std::size_t m = 0; m < what_if.modes.size(); ++m)
                    answered.reserved_bytes[m] = curve_of_mode(what_if.modes[m], recording->basis.run.event_count());
                leave_out_long_parts(what_if);
            }
            return std::make_shared<const AnsweredQuestion>(std::move(answered));
        });
    };
}

Job<MapOutcome>::Work make_map_job(std::shared_ptr<const RepeatedRecording> recording,
                                   std::shared_ptr<const AnsweredQuestion> answer, MappedMoment when) {
    return [recording = std::move(recording), answer = std::move(answer), when](Progress&) {
        return within_memory<MapOutcome>(recording->document->snapshot->read_bytes, [&]() -> MapOutcome {
            DeviceAnalyses& device = recording->document->analyses->device(recording->device_index);
            const auto space = device.address_space();
            auto recorded = std::make_shared<const AddressMoment>(space->at(when.events));
            auto replayed =
                replayed_moment(recording->basis.run, answer->answer.settings, when.mode, when.events, *recorded);
            const AllocationColours colours(device.timeline(), stack_colours(*recording->document->snapshot));
            std::vector<std::uint32_t> recorded_colours = block_colours(*recorded, colours);
            std::vector<std::uint32_t> replayed_colours = block_colours(replayed, colours);
            return std::make_shared<const ReplayedMap>(ReplayedMap{
                answer, when, space, std::move(recorded), std::make_shared<const AddressMoment>(std::move(replayed)),
                std::move(recorded_colours), std::move(replayed_colours)});
        });
    };
}

Job<TryOutcome>::Work make_trying_job(std::shared_ptr<const RepeatedRecording> recording, AllocatorSettings base,
                                      std::pair<std::string, std::string> setting) {
    return [recording = std::move(recording), base, setting = std::move(setting)](Progress&) {
        return within_memory<TryOutcome>(recording->document->snapshot->read_bytes, [&]() -> TryOutcome {
            auto tried = try_setting(recording->basis.run, base, setting);
            leave_out_long_parts(tried.answer);
            return std::make_shared<const TriedSetting>(std::move(tried));
        });
    };
}

}  // namespace snapviewer
