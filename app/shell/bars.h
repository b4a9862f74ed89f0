#pragma once

#include <span>
#include <string>

#include "app/features/requests.h"
#include "app/features/session.h"

namespace snapviewer::shell {

/// Draws the main menu bar with what features add to it. Returns its height.
float draw_menu_bar(const Commands& commands, std::span<const DockRow> docked, const Session& session, Requests& requests);

/// The texts of the status bar, from left to right.
struct StatusLine {
    std::string file;        ///< summary of the file: name, device, counts, peak
    std::string cursor;      ///< describes the object under the mouse
    std::string notice;      ///< message of the program; replaces `cursor`
    std::string frame_time;  ///< duration of the last frame, if the user wants to see it
};

/// Draws the status bar, which fills the current window.
void draw_status_bar(const StatusLine& line);

struct TabStripState;

/// Height of the tab strip; 0 while there is only one tab and the strip is hidden.
float tab_strip_height(const TabStripState& strip);
/// Draws the tab strip, which fills the current window: tabs that shrink to the available width, and a button for a new tab.
void draw_tab_strip(TabStripState& strip, Requests& requests);

}  // namespace snapviewer::shell
