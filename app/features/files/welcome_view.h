#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/features/requests.h"

namespace snapviewer {

/// What the window shows while no file is open: how to open one, or the sample where there is one, how to record one.
void draw_welcome_view(const std::vector<std::string>& recent_files, bool has_sample, ImFont* title_font,
                       Requests& requests);

/// Instead of the picture of a file that holds none: what can be done with it all the same.
void draw_nothing_to_draw(bool has_query_pane, Requests& requests);

}  // namespace snapviewer
