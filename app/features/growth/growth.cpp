#include "app/features/growth/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/moments/moments.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/analysis/steps/steps.h"
#include "core/base/text.h"

namespace snapviewer::growth {

/// Initially places the flags around the training steps that the growth analysis compared or, without steps, around the
/// middle half of the recording.
void GrowthPage::update() {
    const std::shared_ptr<const answers::DeviceAnswers>& answers = answers_.state().answers;
    if (std::exchange(listed_, answers) != answers) chosen_.reset();
    GenerationState& generation = generation_;
    const Timeline* timeline = session_.current_timeline();
    generation.is_drawn = timeline != nullptr && is_between_flags_ && session_.pages.shown == k_growth_page &&
                          session_.current_kind() == ViewKind::allocations && answers != nullptr;
    if (!generation.is_drawn) return;
    if (generation.timeline != timeline) {
        const Growth& growth = *answers->growth;
        generation.edges.clear();
        for (const std::uint32_t edge : growth.edges) generation.edges.push_back(tick_of_moment(*timeline, edge));
        generation.flags = {timeline->tick_count() / 4, timeline->tick_count() / 4 * 3};
        if (!growth.edges.empty()) generation.flags = {generation.edges[growth.warmup], generation.edges.back()};
        generation.listed.reset();
        generation.timeline = timeline;
    }
    if (generation.listed == generation.flags) return;
    generation.listed = generation.flags;
    generation.chosen.reset();
    generation.left = details::make_stack_list(*timeline, allocations_between_flags());
}

std::vector<AllocationId> GrowthPage::allocations_between_flags() const {
    const Timeline& timeline = *session_.current_timeline();
    return allocated_in_and_live(timeline, generation_.flags, timeline.tick_count() - 1);
}

void GrowthPage::go_to(std::size_t index) {
    const std::shared_ptr<const answers::DeviceAnswers> answers = answers_.state().answers;
    if (answers == nullptr || index >= growth_row_count(*answers->growth)) return;
    const GrowthRow& row = growth_row(*answers->growth, index);
    listed_ = answers;
    chosen_ = index;
    pictures_.show(session_.device_index, ViewKind::allocations);
    selection_.highlight(
        AllocationsSought{allocations_of(answers->analyses().trace(), *answers->stack_lines, row), row.source});
    session_.current_device().view = fit_view(session_.current_limits());
}

void GrowthPage::leave() {
    listed_.reset();
    chosen_.reset();
    is_between_flags_ = false;
    generation_ = {};
}

void GrowthPage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_growth_page,
                            .command = CommandId::tools_growth,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); },
                            .draw_in_picture = [this](Requests& /*requests*/) { draw_in_picture(); }});
}

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
    const char* step = steps::step_word(growth.training);
    return fmt::format("Over {0} {1}s{2}, the total {3} by {4}: {5} per {1}.", format_count(growth.steps), step, warmup,
                       growth.grown_bytes < 0 ? "shrank" : "grew",
                       format_bytes(static_cast<std::uint64_t>(std::abs(growth.grown_bytes))),
                       format_signed_bytes(static_cast<std::int64_t>(growth.slope)));
}

std::string growth_row_facts(const GrowthRow& row, bool training) {
    const char* step = steps::step_word(training);
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

}  // namespace snapviewer::growth
