#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/document/document.h"
#include "core/timeline/timeline.h"
#include "tools/bench/document_benchmark.h"

/// An offscreen window for benchmarks. Main thread only.
namespace snapviewer::bench {

/// Properties of the offscreen window.
struct FrameOptions {
    int width_px = 1600;
    int height_px = 900;
    bool all_tracks = false;  ///< gives the tracks below the picture the maximum room
};

/// Measurements of one part of the walk (see benchmark_walk).
struct StopFigures {
    std::string name;
    Axis axis = Axis::steps;
    Distribution frame_ms;
    std::uint64_t vertices = 0;      ///< number of vertices in the frame with the most vertices
    std::uint64_t draw_calls = 0;    ///< number of draw calls in the frame with the most draw calls
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
    /// Frames without a file. Measured between all other frames, so that fluctuations of the machine affect all results
    /// equally.
    Distribution empty_ms;
    double uploaded_bytes_per_frame = 0;
    std::uint64_t vertices_per_frame = 0;    ///< number of vertices in the frame with the most vertices
    std::uint64_t draw_calls_per_frame = 0;  ///< number of draw calls in the frame with the most draw calls
    std::uint64_t mesh_records = 0;          ///< size of the triangle mesh; 0 if the picture has none
    std::uint64_t mesh_bytes = 0;
    double mesh_build_ms = 0;
    /// A near view around the peak, without the rest of the window, drawn alternately from the index and from the
    /// triangle mesh. Empty if the device has no mesh.
    Distribution near_index_ms, near_mesh_ms;
    std::uint64_t near_records = 0;  ///< records in the visible chunks of the mesh in the near view
    std::vector<StopFigures> stops;
};

/// Waits for the background work after opening, then walks through the picture offscreen, on both axes if the file has
/// times. Main thread only.
Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options);

/// Zooms into the middle of the first icicle of a report offscreen. Precondition: the document has an icicle. Main thread
/// only.
Result<FrameFigures> measure_icicle_frames(const std::shared_ptr<const Document>& document, const FrameOptions& options);

/// Measurements of opening or rearranging a page, a window or a list.
struct PageFigures {
    std::string name;             ///< name of the command, or a description of the action
    double whole_ms = 0;          ///< time until it is completely visible
    double longest_frame_ms = 0;  ///< longest frame until then
};

/// Measures one action after the other in a window with at most 60 frames a second: opens every page and window of the menu
/// Panels that concerns the open file, sorts and filters the table of allocations, and types into the search. Starts after
/// the background work of opening. Main thread only.
Result<std::vector<PageFigures>> measure_pages(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                               const FrameOptions& options);
/// Measures a window with a database of ranks: opens it, sorts its table and filters it. Main thread only.
Result<std::vector<PageFigures>> measure_fleet_pages(const std::string& path, const FrameOptions& options);

}  // namespace snapviewer::bench
