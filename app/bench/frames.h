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

/// One part of the walk (see benchmark_walk), measured.
struct StopFigures {
    std::string name;
    Axis axis = Axis::steps;
    Distribution frame_ms;
    std::uint64_t vertices = 0;    ///< most in a frame
    std::uint64_t draw_calls = 0;  ///< likewise
};

/// What a window takes to draw, from the first widget to the last pixel.
struct FrameFigures {
    std::string driver;      ///< what OpenGL calls itself here
    Distribution moving_ms;  ///< the view is another one in every frame
    Distribution layout_ms;  ///< of these, the main thread's processor time until all is laid out and can be drawn
    Distribution still_ms;   ///< the mouse hovers over one allocation after the other
    Distribution empty_ms;   ///< no file open; measured in between, so that the machine's moods are the same
    double uploaded_bytes_per_frame = 0;
    std::uint64_t vertices_per_frame = 0;    ///< most in any frame
    std::uint64_t draw_calls_per_frame = 0;  ///< likewise
    std::vector<StopFigures> stops;
};

/// Walks through the picture offscreen, on both axes where the file has times, once what opening sets going in the
/// background is over. Main thread only.
Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options);

/// The same for the first icicle of a report, zooming into its middle; the document has one.
Result<FrameFigures> measure_icicle_frames(const std::shared_ptr<const Document>& document, const FrameOptions& options);

}  // namespace snapviewer
