#pragma once

#include <cstddef>
#include <memory>

#include "app/picture/studio.h"
#include "app/shell/application.h"
#include "core/base/result.h"
#include "core/document/document.h"

/// An offscreen window for benchmarks. Main thread only.
namespace snapviewer {

/// Properties of the offscreen window.
struct FrameOptions {
    int width_px = 1600;
    int height_px = 900;
    bool all_tracks = false;  ///< gives the tracks below the picture the maximum room
};

/// Durations of one frame.
struct FrameTime {
    double whole_ms = 0;
    double layout_ms = 0;  ///< processor time of this thread for the layout, before drawing starts
};

/// Draws one frame and waits until the GPU has finished it.
FrameTime timed_frame(Studio& studio, Application& application);

/// Draws as many frames as the layout needs to become stable after panels appear.
void settle(Studio& studio, Application& application);

/// Creates an application that shows a device of the document, completely uploaded to the GPU. With a null document, an
/// empty window.
Result<std::unique_ptr<Application>> make_application(Studio& studio, const std::shared_ptr<const Document>& document,
                                                      std::size_t device_index, bool all_tracks);

/// Draws frames until all background work has finished, for two minutes at most.
void come_to_rest(Studio& studio, Application& application);

}  // namespace snapviewer
