#include "app/features/allocator_settings/allocator_settings.h"

#include "app/features/session.h"

namespace snapviewer {

void AllocatorSettingsWindow::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) {
                                if (session_.document)
                                    draw_settings_window(session_.settings_view, session_.document->snapshot->settings,
                                                         requests);
                            }});
    board.commands.on(CommandId::tools_settings,
                      {.is_possible = has_document, .run = [this] { session_.settings_view.is_open = true; }});
}

}  // namespace snapviewer
