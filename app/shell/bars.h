#pragma once

#include <imgui.h>

#include <string>

#include "app/features/requests.h"
#include "app/features/session.h"

namespace snapviewer {

/// Draws the main menu bar with the choices of view and device at its right end. Returns its height.
float draw_menu_bar(const Commands& commands, const Session& session, Requests& requests);

/// Draws the most used controls of a picture, to the left of its legend: the colours, the flame graph and the address map.
/// Draws from `pos` in the current window, as high as the legend. Returns the width.
float draw_picture_bar(const Commands& commands, const Session& session, ImVec2 pos, Requests& requests);

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

}  // namespace snapviewer
