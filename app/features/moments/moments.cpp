#include "app/features/moments/moments.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/timeline/ruler_ui.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/texts.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

StackList listed(const Timeline& timeline, std::span<const AllocationId> allocations) {
    StackList list = make_stack_list(timeline, allocations);
    for (const std::string& name : list.names) need_characters(name);
    return list;
}

const std::vector<AllocationId>& of_kind(const MomentChanges& changes, ChangeKind kind) {
    return kind == ChangeKind::came ? changes.came : kind == ChangeKind::went ? changes.went : changes.stayed;
}

const char* change_words(ChangeKind change) {
    switch (change) {
        case ChangeKind::came: return "came";
        case ChangeKind::went: return "went";
        case ChangeKind::stayed: return "stayed";
        case ChangeKind::born: return "allocated between the flags";
    }
    return "";
}

}  // namespace

/// Brings the page to the front when the ruler appears, and the previous page when it disappears.
void MomentMarks::follow_ruler() {
    const RulerState& ruler = session_.timeline.ruler;
    MomentsState& moments = session_.moments;
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || !ruler.is_shown || !ruler.has_totals) {
        if (moments.timeline != nullptr && session_.pages.shown == k_moments_page && !session_.pages.next)
            session_.pages.next = moments.page_before;
        moments = MomentsState{};
        return;
    }
    const TickRange range{ruler.first_tick, ruler.last_tick};
    if (moments.timeline == nullptr) moments.page_before = session_.pages.shown;
    if (moments.is_measuring && !ruler.is_measuring) session_.pages.next = k_moments_page;
    moments.is_measuring = ruler.is_measuring;
    if (moments.timeline == timeline && moments.range == range) return;
    moments.timeline = timeline;
    moments.range = range;
    moments.chosen.reset();
    const MomentChanges changes = changes_between(*timeline, range.first, range.last);
    for (const ChangeKind kind : {ChangeKind::came, ChangeKind::went, ChangeKind::stayed})
        moments.lists[static_cast<std::size_t>(kind)] = listed(*timeline, of_kind(changes, kind));
}

/// Initially places the flags around the training steps that the growth analysis compared or, without steps, around the
/// middle half of the recording.
void MomentMarks::follow_flags() {
    GenerationState& generation = session_.generation;
    const Timeline* timeline = session_.current_timeline();
    generation.is_drawn = timeline != nullptr && generation.is_chosen && session_.pages.shown == k_growth_page &&
                          session_.current_kind() == ViewKind::allocations && session_.findings.is_ready();
    if (!generation.is_drawn) return;
    if (generation.timeline != timeline) {
        const growth::Growth& growth = *session_.findings.answers->growth;
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
    generation.left = listed(*timeline, allocations_of(ChangeKind::born));
}

void MomentMarks::update() {
    follow_ruler();
    follow_flags();
}

std::vector<AllocationId> MomentMarks::allocations_of(ChangeKind change) const {
    const Timeline& timeline = *session_.current_timeline();
    if (change == ChangeKind::born)
        return allocated_in_and_live(timeline, session_.generation.flags, timeline.tick_count() - 1);
    return of_kind(changes_between(timeline, session_.moments.range.first, session_.moments.range.last), change);
}

void MomentMarks::emphasise(const EmphasiseChange& asked) {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr) return;
    AllocationsSought sought{{}, change_words(asked.change)};
    if (asked.stack) sought.name += ": " + stack_name(*timeline, *asked.stack);
    for (const AllocationId id : allocations_of(asked.change)) {
        if (!asked.stack || making_stack(timeline->trace().allocations, id) == *asked.stack) sought.ids.push_back(id);
    }
    if (sought.ids.empty())
        selection_.close_search();
    else
        selection_.emphasise(std::move(sought));
}

void MomentMarks::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_moments_page,
                            .command = CommandId::page_range,
                            .is_there = [](const Session& session) { return session.moments.timeline != nullptr; },
                            .why_not = "Measure a range first, with Ctrl and drag in the picture",
                            .draw =
                                [this](const Area& /*area*/, Requests& requests) {
                                    draw_moments_view(session_.moments, *session_.current_timeline(), requests);
                                }});
    board.handlers.on<EmphasiseChange>([this](const EmphasiseChange& asked) { emphasise(asked); });
}

void MomentMarks::leave() {
    session_.moments = MomentsState{};
    session_.generation = GenerationState{};
}

namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_reported_stacks = 100;

JsonValue stack_list_json(const StackList& list) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(list.totals.size(), k_reported_stacks); ++i)
        rows.push_back({{"bytes", list.totals[i].bytes}, {"count", list.totals[i].count}, {"name", list.names[i]}});
    return {{"bytes", list.sum.bytes}, {"count", list.sum.count}, {"rows", std::move(rows)}};
}

JsonValue moments_report(const Session& session) {
    const MomentsState& moments = session.moments;
    if (moments.timeline == nullptr) return nullptr;
    return {{"first_tick", moments.range.first},
            {"last_tick", moments.range.last},
            {"came", stack_list_json(moments.list(ChangeKind::came))},
            {"went", stack_list_json(moments.list(ChangeKind::went))},
            {"stayed", stack_list_json(moments.list(ChangeKind::stayed))}};
}

JsonValue generation_report(const Session& session) {
    const GenerationState& generation = session.generation;
    if (!generation.is_drawn || session.current_timeline() == nullptr) return nullptr;
    const auto step_of = [&](std::uint32_t tick) { return session.current_timeline()->step_of_tick(tick); };
    return {{"steps", {step_of(generation.flags.first), step_of(generation.flags.last)}},
            {"left", stack_list_json(generation.left)}};
}

JsonValue ruler_report(const Session& session) {
    const RulerState& ruler = session.timeline.ruler;
    if (!ruler.is_shown || !ruler.has_totals || session.current_timeline() == nullptr) return nullptr;
    return {{"first_tick", ruler.first_tick},
            {"last_tick", ruler.last_tick},
            {"steps",
             {session.current_timeline()->step_of_tick(ruler.first_tick),
              session.current_timeline()->step_of_tick(ruler.last_tick)}},
            {"net_bytes", ruler.totals.net_bytes},
            {"made_bytes", ruler.totals.made.bytes},
            {"freed_bytes", ruler.totals.freed.bytes},
            {"lines", ruler_lines(ruler, *session.current_timeline())}};
}

}  // namespace

void MomentMarks::describe(nlohmann::json& report) const {
    report["moments"] = moments_report(session_);
    report["generation"] = generation_report(session_);
    report["ruler"] = ruler_report(session_);
}

}  // namespace snapviewer
