#pragma once

#include <cstddef>
#include <memory>

#include "app/picture/studio.h"
#include "app/shell/application.h"
#include "core/base/result.h"
#include "core/document/document.h"

/// A window that nobody sees, whose frames are measured. Main thread only.
namespace snapviewer {

/// What it is like.
struct FrameOptions {
    int width_px = 1600;
    int height_px = 900;
    bool all_tracks = false;  ///< the tracks below the picture get as much room as a user may give them
};

/// What a frame took.
struct FrameTime {
    double whole_ms = 0;
    double layout_ms = 0;  ///< processor time of this thread, before what was laid out is drawn
};

/// Draws one frame and waits until the last pixel is there.
FrameTime timed_frame(Studio& studio, Application& application);

/// As many frames as panels need that were not shown before.
void settle(Studio& studio, Application& application);

/// With a device of a document on the screen and all of it on the graphics card; with no document, an empty window.
Result<std::unique_ptr<Application>> make_application(Studio& studio, const std::shared_ptr<const Document>& document,
                                                      std::size_t device_index, bool all_tracks);

/// Draws until nothing that was set going is at work any more, but no longer than two minutes.
void come_to_rest(Studio& studio, Application& application);

}  // namespace snapviewer
