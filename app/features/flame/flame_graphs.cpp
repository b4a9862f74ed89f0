#include "app/features/flame/flame_graphs.h"

#include <imgui.h>

#include <utility>

#include "app/system/window_system.h"
#include "app/ui/characters.h"
#include "core/analysis/findings/analyses.h"

namespace snapviewer {

void FlameGraphs::close() {
    job_.discard();
    has_asked_ = false;
    FlameState& flame = state_.flame;
    if (flame.graph != nullptr && state_.document != nullptr && document_ == state_.document) {
        state_.icicle.views.resize(state_.document->icicles.size());
        if (state_.icicle.shown && *state_.icicle.shown >= state_.icicle.views.size()) state_.icicle.shown.reset();
    }
    flame.is_open = false;
    flame.graph.reset();
    leave_callers();
}

void FlameGraphs::toggle() {
    if (state_.flame.is_open && (state_.flame.graph == nullptr || state_.shows_flame_graph())) {
        close();
        return;
    }
    if (state_.current_timeline() == nullptr) return;
    state_.flame.is_open = true;
    if (state_.flame.graph != nullptr) show();
}

/// Shows the flame graph on the screen. Its bars are allocations, so the device also switches to its timeline of
/// allocations.
void FlameGraphs::show() {
    pictures_.show(state_.device_index, ViewKind::allocations);
    state_.icicle.shown = state_.document->icicles.size();
}

void FlameGraphs::take() {
    std::optional<FlameOutcome> outcome = job_.take();
    if (!outcome || !state_.flame.is_open) return;
    if (*outcome) {
        show_made(std::move(**outcome));
    } else {
        state_.notice = "The flame graph " + outcome->error().text();
        if (state_.flame.graph == nullptr) close();
    }
}

void FlameGraphs::show_made(MadeFlame made) {
    for (const IcicleNode& node : made.graph->nodes) need_characters(node.label);
    const bool is_first = state_.flame.graph == nullptr;
    state_.flame.graph = std::move(made.graph);
    state_.flame.shown = made.moment;
    std::vector<IcicleViewState>& views = state_.icicle.views;
    views.resize(state_.document->icicles.size());
    views.emplace_back();
    views.back().window = whole_icicle(*state_.flame.graph);
    if (is_first) show();
}

void FlameGraphs::show_callers(std::uint32_t node) {
    if (!state_.shows_flame_graph() || node >= state_.flame.graph->nodes.size()) return;
    const IcicleNode& call = state_.flame.graph->nodes[node];
    if (call.is_call()) state_.flame.wanted.paths.around = CallFunction{call.place.file, call.function};
}

void FlameGraphs::show_callers_of_selected() {
    if (!state_.shows_flame_graph()) return;
    if (const auto selected = state_.shown_icicle_view().selected) show_callers(*selected);
}

void FlameGraphs::save_folded(const std::string& path) {
    if (state_.flame.graph != nullptr) writing_.start(make_folded_job(document_, device_index_, state_.flame.shown, path));
}

void FlameGraphs::take_written() {
    const std::optional<WrittenFolded> written = writing_.take();
    if (!written) return;
    if (!written->status) {
        state_.notice = written->status.error().text();
    } else if (written->path.empty()) {
        ImGui::SetClipboardText(written->text.c_str());
        state_.toasts.say("The folded stacks were copied to the clipboard");
    } else {
        give_to_user(written->path);
        state_.toasts.say("Saved the folded stacks as " + written->path);
    }
}

/// The moment or range to draw: the ruler's range if it is wanted, else the moment of the Live page, else the last drawn
/// moment or the peak. The moment of the Live page only counts while the timeline of allocations is shown, because only
/// allocations have calls.
FlameMoment FlameGraphs::wanted_moment() const {
    FlameMoment wanted = state_.flame.wanted;
    if (state_.flame.range && state_.flame.of_range != FlameOf::live) {
        wanted.of = state_.flame.of_range;
        wanted.first_tick = state_.flame.range->first;
        wanted.tick = state_.flame.range->last;
        return wanted;
    }
    const bool is_live = state_.current_kind() == ViewKind::allocations && state_.live.timeline == state_.current_timeline();
    if (is_live)
        wanted.tick = state_.live.tick;
    else if (has_asked_ && asked_.of == FlameOf::live)
        wanted.tick = asked_.tick;
    else
        wanted.tick = document_->analyses->device(state_.device_index).timeline().peak_tick();
    return wanted;
}

void FlameGraphs::update() {
    if (document_ != state_.document) {
        close();
        document_ = state_.document;
    }
    take();
    take_written();
    if (!state_.flame.is_open || state_.current_timeline() == nullptr) return;
    if (state_.shows_flame_graph() && state_.current_kind() != ViewKind::allocations) show();
    const RulerState& ruler = state_.timeline.ruler;
    const bool has_range = ruler.is_shown && ruler.has_totals && state_.current_kind() == ViewKind::allocations;
    state_.flame.range = has_range ? std::optional(TickRange{ruler.first_tick, ruler.last_tick}) : std::nullopt;
    const FlameMoment wanted = wanted_moment();
    if (has_asked_ && wanted == asked_ && device_index_ == state_.device_index) return;
    has_asked_ = true;
    asked_ = wanted;
    device_index_ = state_.device_index;
    job_.start(make_flame_job(document_, device_index_, wanted));
}

}  // namespace snapviewer
