#pragma once

#include <string>

#include "app/features/compare/compared_pictures_view.h"
#include "app/features/compare/state.h"
#include "app/features/requests.h"
#include "app/ui/panel.h"

namespace snapviewer {

struct Document;
struct ShownComparison;

/// Draws the window that shows how two recordings differ at their peaks. It replaces the details, so that the timeline stays
/// visible. `file_a` is the path of the open file.
void draw_compare_window(CompareState& state, const std::string& file_a, const Area& area, const ComparedCanvases& canvases,
                         Requests& requests);

}  // namespace snapviewer
