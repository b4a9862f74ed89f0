#include "app/features/conditions.h"
#include "app/features/details/details_view.h"
#include "app/features/details/selected_details.h"
#include "app/features/reports/icicle_details.h"
#include "app/features/reports/icicle_labels.h"

namespace snapviewer {
namespace {

/// The details of the selection as text, for the clipboard. Empty if nothing is selected.
std::string details_text(const AppState& state) {
    if (const Icicle* icicle = state.shown_icicle()) {
        const auto& selected = state.icicle.views[*state.icicle.shown].selected;
        return selected ? icicle_node_text(*icicle, *selected) : "";
    }
    return state.selected().is_some() ? details_clipboard(state.details) : "";
}

}  // namespace

void SelectedDetails::connect(Switchboard& board) {
    board.commands.add(
        {.id = "edit_copy",
         .menu = Menu::tools,
         .place = 400,
         .words = "Copy details",
         .synonyms = "clipboard",
         .keys = "Ctrl+C",
         .is_possible = [](const AppState& state) { return state.focused != Pane::query && has_selected_part(state); },
         .run =
             [this, &board] {
                 const std::string text = details_text(state_);
                 if (!text.empty()) board.requests.ask(CopyText{text, "The text of the details"});
             }});
}

}  // namespace snapviewer
