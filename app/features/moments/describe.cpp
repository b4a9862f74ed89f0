#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/moments/moment_marks.h"
#include "app/features/timeline/ruler_view.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_reported_stacks = 100;

JsonValue stack_list_json(const StackList& list) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(list.totals.size(), k_reported_stacks); ++i)
        rows.push_back({{"bytes", list.totals[i].bytes}, {"count", list.totals[i].count}, {"name", list.names[i]}});
    return {{"bytes", list.sum.bytes}, {"count", list.sum.count}, {"rows", std::move(rows)}};
}

JsonValue moments_report(const AppState& state) {
    const MomentsState& moments = state.moments;
    if (moments.timeline == nullptr) return nullptr;
    return {{"first_tick", moments.range.first},
            {"last_tick", moments.range.last},
            {"came", stack_list_json(moments.list(ChangeKind::came))},
            {"went", stack_list_json(moments.list(ChangeKind::went))},
            {"stayed", stack_list_json(moments.list(ChangeKind::stayed))}};
}

JsonValue generation_report(const AppState& state) {
    const GenerationState& generation = state.generation;
    if (!generation.is_drawn || state.current_timeline() == nullptr) return nullptr;
    const auto step_of = [&](std::uint32_t tick) { return state.current_timeline()->step_of_tick(tick); };
    return {{"steps", {step_of(generation.flags.first), step_of(generation.flags.last)}},
            {"left", stack_list_json(generation.left)}};
}

JsonValue ruler_report(const AppState& state) {
    const RulerState& ruler = state.timeline.ruler;
    if (!ruler.is_shown || !ruler.has_totals || state.current_timeline() == nullptr) return nullptr;
    return {{"first_tick", ruler.first_tick},
            {"last_tick", ruler.last_tick},
            {"steps",
             {state.current_timeline()->step_of_tick(ruler.first_tick),
              state.current_timeline()->step_of_tick(ruler.last_tick)}},
            {"net_bytes", ruler.totals.net_bytes},
            {"made_bytes", ruler.totals.made.bytes},
            {"freed_bytes", ruler.totals.freed.bytes},
            {"lines", ruler_lines(ruler, *state.current_timeline())}};
}

}  // namespace

void MomentMarks::describe(nlohmann::json& report) const {
    report["moments"] = moments_report(state_);
    report["generation"] = generation_report(state_);
    report["ruler"] = ruler_report(state_);
}

}  // namespace snapviewer
