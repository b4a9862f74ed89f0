#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/distribution.h"
#include "app/bench/measured_window.h"
#include "core/base/result.h"
#include "core/document/document.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Measurements of one part of the walk (see benchmark_walk).
struct StopFigures {
    std::string name;
    Axis axis = Axis::steps;
    Distribution frame_ms;
    std::uint64_t vertices = 0;      ///< maximum per frame
    std::uint64_t draw_calls = 0;    ///< maximum per frame
    std::uint64_t index_frames = 0;  ///< frames whose picture was drawn from the index
    std::uint64_t mesh_frames = 0;   ///< frames whose picture was drawn from the triangle mesh
};

/// Time that a window needs for a frame, from the first widget to the last pixel.
struct FrameFigures {
    std::string driver;      ///< name of the OpenGL renderer
    Distribution moving_ms;  ///< frames in which the view changes
    /// The part of `moving_ms` until drawing starts: processor time of the main thread for the layout.
    Distribution layout_ms;
    Distribution still_ms;  ///< frames in which the mouse moves over one allocation after another
    /// Frames without a file; measured in between, so that fluctuations of the machine affect all results equally.
    Distribution empty_ms;
    double uploaded_bytes_per_frame = 0;
    std::uint64_t vertices_per_frame = 0;    ///< maximum of all frames
    std::uint64_t draw_calls_per_frame = 0;  ///< maximum of all frames
    std::uint64_t mesh_records = 0;          ///< size of the triangle mesh; 0 if the picture has none
    std::uint64_t mesh_bytes = 0;
    std::vector<StopFigures> stops;
};

/// Waits for the background work after opening, then walks through the picture offscreen, on both axes if the file has
/// times. Main thread only.
Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options);

/// Zooms into the middle of the first icicle of a report offscreen. Precondition: the document has an icicle. Main thread
/// only.
Result<FrameFigures> measure_icicle_frames(const std::shared_ptr<const Document>& document, const FrameOptions& options);

}  // namespace snapviewer
