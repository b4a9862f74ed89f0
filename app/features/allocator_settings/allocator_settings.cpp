#include "app/features/allocator_settings/allocator_settings.h"

#include "app/features/conditions.h"

namespace snapviewer {

void AllocatorSettingsWindow::connect(Switchboard& board) {
    board.commands.add({.id = "tools_settings",
                        .menu = Menu::tools,
                        .place = 200,
                        .words = "Allocator settings…",
                        .is_possible = has_document,
                        .run = [this] { state_.settings_view.is_open = true; }});
}

void AllocatorSettingsWindow::draw(Requests& requests) {
    if (state_.document) draw_settings_window(state_.settings_view, state_.document->snapshot->settings, requests);
}

}  // namespace snapviewer
