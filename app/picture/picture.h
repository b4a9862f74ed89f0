#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/preferences.h"
#include "app/features/timeline/marks_ui.h"
#include "core/base/result.h"
#include "core/document/document.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer::picture {

struct RenderOptions {
    std::string out;  ///< file to write, atomically: an SVG if its name ends in .svg, otherwise a PNG
    int width_px = 1600;
    int height_px = 900;
    Axis axis = Axis::steps;
    std::optional<View> view;  ///< nullopt = the whole picture
    bool view_has_y = false;   ///< whether the y range of `view` is used; otherwise the full height is shown
    mesh::ThemeVariant ground = mesh::ThemeVariant::dark;
    std::optional<mesh::ColourBy> colour_by;  ///< nullopt = the file's initial colouring
    /// The allocations to highlight. Only the first of these three options that is set counts. `stack` is a stack's number
    /// in SQL, `group` a row of the legend of colours, `search` a text to search for.
    std::optional<int> stack;
    std::string group;
    std::string search;
    /// The selected allocation: allocations.id, or its index in a picture of segments or pools.
    std::optional<std::size_t> selected;
    std::vector<NoteFlag> notes;
    bool names_blocks = false;  ///< labels blocks that have enough room, as the window does
    Preferences shown;          ///< which overlays and tracks are drawn, and whether a time axis shows the time of day
};

/// Draws a device's timeline, either one of the document or one of build_view(), with its axes and a caption, as the window
/// does, and writes the file. Needs no display. Main thread only. Fails with ErrorCode::environment without OpenGL, with
/// ErrorCode::io if the file cannot be written, and with ErrorCode::bad_file if the timeline has no kinds, no such group or
/// no such allocation. Colouring by kind computes the kinds first.
Status render_picture(const Document& document, const DeviceView& device, const RenderOptions& options);

/// Draws an icicle of a document with its axis and a caption, as the window does, and writes it as a PNG. Uses the x range
/// of `options.view`, in the icicle's unit. Needs no display. Main thread only. Fails in the same cases as render_picture().
Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options);

}  // namespace snapviewer::picture
