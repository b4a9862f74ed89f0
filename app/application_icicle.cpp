// The icicles: which picture is on the screen, and how icicle and timeline show the same things.
#include <algorithm>

#include "app/application.h"
#include "app/icicle_text.h"
#include "app/views/icicle_details.h"

namespace snapviewer {

void Application::show_picture(std::size_t picture) {
    if (!state_.document || picture > state_.document->icicles.size()) return;
    if (picture > 0) {
        state_.icicle.shown = picture - 1;
    } else if (state_.current_timeline() != nullptr) {
        state_.icicle.shown.reset();
    }
}

/// Asks for what can be seen together with the open file.
void Application::choose_companion() {
    state_.chooses_companion = true;
    open_file_dialog(state_.file_dialog, state_.settings);
}

/// An allocation is also a part of the icicles made of allocations.
void Application::select(AllocationId id) {
    state_.current_device().selected = id;
    for (std::size_t i = 0; i < state_.icicle.views.size(); ++i) {
        const Icicle& icicle = state_.document->icicles[i];
        if (!icicle.allocations.empty()) state_.icicle.views[i].selected = icicle.leaf_of(id);
    }
}

/// What was allocated below a bar stands out in the timeline; a leaf's first allocation is selected there.
void Application::select_node(std::uint32_t node) {
    const Icicle* icicle = state_.shown_icicle();
    if (icicle == nullptr) return;
    const bool is_linked = !icicle->allocations.empty() && state_.current_timeline() != nullptr;
    if (node == IcicleNode::k_none) {
        if (is_linked) select(AllocationId::none());
        if (state_.search.chosen) close_search();
        state_.shown_icicle_view().selected.reset();
        return;
    }
    if (is_linked) {
        const IcicleNode& chosen = icicle->nodes[node];
        const std::vector<AllocationId> made = icicle->allocations_of(chosen);
        select(chosen.is_leaf && !made.empty() ? made.front() : AllocationId::none());
        state_.search = SearchState{};
        if (!made.empty()) {
            state_.search.is_open = true;
            state_.search.chosen.emplace();
            for (const AllocationId id : made) state_.search.chosen->insert(id.value);
            state_.search.stack_name = bar_text(*icicle, {node, node, chosen.start, chosen.end()});
        }
        find_emphasis();
        recolour();
    }
    state_.shown_icicle_view().selected = node;
}

void Application::draw_icicle_panel(const Icicle& icicle) {
    const ImportLog& log = state_.document->snapshot->log;
    if (!state_.findings_dismissed && notable_findings(log) > 0) draw_findings_banner(log, requests_);
    draw_icicle_view(state_.shown_icicle_view(), icicle, requests_);
}

/// Commands about the picture, while it is an icicle.
bool Application::carry_out_on_icicle(Command command) {
    const Icicle* icicle = state_.shown_icicle();
    if (icicle == nullptr) return false;
    IcicleViewState& view = state_.shown_icicle_view();
    switch (command) {
        case Command::fit:
            view.zoomed_from.clear();
            view.window = whole_icicle(*icicle);
            return true;
        case Command::zoom_to_selection: zoom_icicle_to_selection(view, *icicle); return true;
        case Command::zoom_out:
            if (!zoom_icicle_out(view, *icicle)) select_node(IcicleNode::k_none);
            return true;
        case Command::clear_selection: select_node(IcicleNode::k_none); return true;
        case Command::copy_details:
            if (view.selected) ImGui::SetClipboardText(icicle_node_text(*icicle, *view.selected).c_str());
            return true;
        case Command::go_to_peak:
        case Command::toggle_axis: return true;  // of the timeline, which is not to be seen
        default: return false;
    }
}

}  // namespace snapviewer
