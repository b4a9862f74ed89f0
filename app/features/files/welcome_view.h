#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/features/requests.h"

namespace snapviewer {

/// Draws the welcome screen, which is shown while no file is open. It explains how to open a file or the sample, if there is
/// one, and how to record a file.
void draw_welcome_view(const std::vector<std::string>& recent_files, bool has_sample, ImFont* title_font,
                       Requests& requests);

/// Draws the text that replaces the timeline for a file without allocations: the actions that are still possible.
void draw_nothing_to_draw(bool has_query_pane, Requests& requests);

}  // namespace snapviewer
