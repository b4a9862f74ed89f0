#include "app/state/flame_graphs.h"

#include <utility>

#include "app/window/fonts.h"
#include "core/analysis/analyses.h"

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

/// Its bars stand for allocations, so what is behind it shows them, too.
void FlameGraphs::show() {
    pictures_.show(state_.device_index, ViewKind::allocations);
    state_.icicle.shown = state_.document->icicles.size();
}

void FlameGraphs::take() {
    std::optional<MadeFlame> made = job_.take();
    if (!made || made->graph == nullptr || made->document != state_.document || !state_.flame.is_open) return;
    for (const IcicleNode& node : made->graph->nodes) need_characters(node.label);
    const bool is_first = state_.flame.graph == nullptr;
    state_.flame.graph = std::move(made->graph);
    state_.flame.shown = made->moment;
    std::vector<IcicleViewState>& views = state_.icicle.views;
    views.resize(state_.document->icicles.size());
    views.emplace_back();
    views.back().window = whole_icicle(*state_.flame.graph);
    if (is_first) show();
}

void FlameGraphs::update() {
    if (document_ != state_.document) {
        close();
        document_ = state_.document;
    }
    take();
    if (!state_.flame.is_open || state_.current_timeline() == nullptr) return;
    if (state_.shows_flame_graph() && state_.current_kind() != ViewKind::allocations) show();
    FlameMoment wanted = state_.flame.wanted;
    // Live lists moments of the picture on the screen; calls are of the allocations alone.
    const bool is_live = state_.current_kind() == ViewKind::allocations && state_.live.timeline == state_.current_timeline();
    if (is_live)
        wanted.tick = state_.live.tick;
    else
        wanted.tick = has_asked_ ? asked_.tick : document_->analyses->device(state_.device_index).timeline().peak_tick();
    if (has_asked_ && wanted == asked_ && device_index_ == state_.device_index) return;
    has_asked_ = true;
    asked_ = wanted;
    device_index_ = state_.device_index;
    job_.start(making_flame(document_, device_index_, wanted));
}

}  // namespace snapviewer
