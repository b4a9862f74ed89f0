#pragma once

#include "app/state/app_state.h"
#include "app/state/file_opener.h"
#include "app/state/pictures.h"
#include "app/state/requests.h"
#include "app/window/theme.h"

namespace snapviewer {

/// What the panels look at besides the state.
struct PanelScene {
    const Pictures& pictures;
    const FileOpener& opener;
    ComparedCanvases compared;
    TimelineCanvas* growing = nullptr;  ///< of what is read so far of the file on its way; null while there is none
    double frame_ms = 0;                ///< what the last frame took
};

/// Draws everything in the window: menu, panels, dialogs. They keep in `state` what they need between two frames; whatever
/// else is to happen goes into `requests`.
void draw_panels(AppState& state, const PanelScene& scene, Requests& requests);

}  // namespace snapviewer
