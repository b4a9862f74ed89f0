#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer {

struct TabStripState;

/// Inputs of the panels besides the state.
struct PanelScene {
    const Commands& commands;
    const std::vector<DockRow>& docked;  ///< all rows, sorted by dock and order
    TabStripState& tabs;
    std::optional<double> frame_ms = {};  ///< duration of the last frame, if the user wants to see it
    std::string file_note = {};           ///< text after the name of the file in the status bar
};

/// Draws the menu and the panels that fill the window. Panels store what they need between two frames in `session`; all
/// else that should happen goes into `requests`. Returns the work area: the window without menu and tabs.
Area draw_panels(Session& session, const PanelScene& scene, Requests& requests);

}  // namespace snapviewer
