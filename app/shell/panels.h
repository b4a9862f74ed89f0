#pragma once

#include "app/features/app_state.h"
#include "app/features/compare/compared_pictures_view.h"
#include "app/features/files/file_opener.h"
#include "app/features/requests.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/panel.h"
#include "app/ui/theme.h"

namespace snapviewer {

/// What the panels look at besides the state.
struct PanelScene {
    const Pictures& pictures;
    const FileOpener& opener;
    const Commands& commands;
    ComparedCanvases compared;
    TimelineCanvas* growing = nullptr;  ///< of what is read so far of the file on its way; null while there is none
    double frame_ms = 0;                ///< what the last frame took
};

/// Draws the menu and the panels that fill the window. They keep in `state` what they need between two frames; whatever else
/// is to happen goes into `requests`. Gives what menu and tabs leave of the window.
Area draw_panels(AppState& state, const PanelScene& scene, Requests& requests);
/// What stands over them and over the windows of features: the choice of a file, a load on its way, an error.
void draw_dialogs(AppState& state, const PanelScene& scene, const Area& work, Requests& requests);

}  // namespace snapviewer
