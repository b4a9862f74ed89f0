#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/features/requests.h"

namespace snapviewer {

/// One icicle on the screen between two frames.
struct IcicleViewState {
    IcicleWindow window;
    std::vector<IcicleWindow> zoomed_from;  ///< where a double click came from, for the way back
    std::optional<std::uint32_t> selected;  ///< a node
    std::optional<IcicleBar> hovered;
    bool shows_root = true;       ///< the row of the root is to be brought into view
    std::uint32_t menu_node = 0;  ///< that the menu is of while it is open
    bool is_dragging = false;
    IcicleWindow pressed_window;  ///< when the mouse button went down
    ImVec2 min, max;              ///< where the bars were drawn last
    float row_px = 1;

    double rows_on_screen() const { return static_cast<double>((max.y - min.y) / row_px); }
};

/// The icicles of the open file, and which picture is on the screen.
struct IcicleState {
    std::vector<IcicleViewState> views;  ///< parallel to Document::icicles
    std::optional<std::size_t> shown;    ///< none: the timeline
};

/// Everything shown and nothing selected; `has_timeline` decides whether the timeline or the first icicle is on the screen.
IcicleState make_icicle_state(const std::vector<Icicle>& icicles, bool has_timeline);

/// The picture after the one on the screen, as ShowPicture counts them.
std::size_t next_picture(const IcicleState& state, bool has_timeline);

/// What there is to draw of an icicle.
struct IcicleScene {
    const Icicle& icicle;
    IcicleWindow window;
    std::optional<std::uint32_t> selected;
    std::optional<IcicleBar> hovered;
};

/// Draws bars and axis into an area of the current window and nothing else: no mouse, no keys. Gives where the bars are.
struct IcicleCanvas {
    ImVec2 min, max;
    float row_px = 1;
};
IcicleCanvas draw_icicle_picture(const IcicleScene& scene, ImVec2 pos, ImVec2 size);

/// Fills the rest of the current window with an icicle and follows the mouse: drag, wheel, hover, click, double click.
void draw_icicle_view(IcicleViewState& state, const Icicle& icicle, Requests& requests);

/// What keys ask for.
void zoom_icicle_about_middle(IcicleViewState& state, const Icicle& icicle, double factor);
void zoom_icicle_to_selection(IcicleViewState& state, const Icicle& icicle);
/// Back to before the last zoom into a bar, otherwise to all of it; false if there is nowhere to go.
bool zoom_icicle_out(IcicleViewState& state, const Icicle& icicle);

/// What the tab of the timeline says.
struct TimelineTab {
    const char* name;
    const char* doc;
};

/// Draws the row of tabs that switches between the timeline, if there is one, and the icicles; nothing where there is
/// nothing to switch.
void draw_picture_tabs(const IcicleState& state, const std::vector<const Icicle*>& icicles,
                       const std::optional<TimelineTab>& timeline, Requests& requests);

}  // namespace snapviewer
