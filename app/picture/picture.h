#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/preferences.h"
#include "app/features/timeline/note_flags.h"
#include "core/base/result.h"
#include "core/document/document.h"
#include "core/mesh/greyed.h"
#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

struct RenderOptions {
    std::string out;  ///< an SVG where its name ends so, otherwise a PNG; replaced only when complete
    int width_px = 1600;
    int height_px = 900;
    Axis axis = Axis::steps;
    std::optional<View> view;  ///< none = all of the picture
    bool view_has_y = false;   ///< whether the y range of `view` counts; otherwise all of it
    Ground ground = Ground::dark;
    std::optional<ColourBy> colour_by;  ///< none = as the file is coloured at first
    /// What stands out, of these three the first that is given: all that a stack made, by its number in SQL; a row of the
    /// legend of colours; what a search finds.
    std::optional<int> stack;
    std::string group;
    std::string search;
    /// The selected one: allocations.id, or its place in a picture of segments or pools.
    std::optional<std::size_t> selected;
    std::vector<NoteFlag> notes;
    bool names_blocks = false;  ///< writes into blocks with room what they are, as the window does
    Preferences shown;          ///< which overlays and tracks are drawn, and whether a time axis says the time of day
};

/// Draws a device's timeline, one of the document's or one of build_view(), with its axes and a caption, as the window
/// would, and writes it. Needs no display. Main thread only. Fails with ErrorCode::environment without OpenGL,
/// ErrorCode::io when the file cannot be written, ErrorCode::bad_file where kinds, a group or an allocation are asked for of
/// what has none. By kind, they are worked out first.
Status render_picture(const Document& document, const DeviceView& device, const RenderOptions& options);

}  // namespace snapviewer
