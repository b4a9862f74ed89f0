#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/timeline/allocation_text.h"
#include "app/ui/state_parts.h"
#include "core/analysis/stacks/icicle.h"

namespace snapviewer::reports {

/// The visible part of an icicle.
struct IcicleWindow {
    double x_begin = 0;  ///< left edge, in the icicle's unit
    double x_end = 1;
    double top_row = 0;  ///< number of rows that are scrolled out above the window

    double width() const { return x_end - x_begin; }
    bool operator==(const IcicleWindow&) const = default;
};

/// A bar to draw in one row: a single node, or a run of neighbours that are too narrow to draw one by one.
struct IcicleBar {
    std::uint32_t first_node = 0;
    std::uint32_t last_node = 0;  ///< the last node, inclusive
    double x_begin = 0;           ///< left edge, in the icicle's unit
    double x_end = 0;

    bool is_run() const { return first_node != last_node; }
};

/// Returns the bars of one row in a window `width_px` pixels wide, from left to right. Adjacent nodes narrower than a pixel
/// are merged into one bar. O(pixels * log(nodes)), independent of the number of nodes drawn.
std::vector<IcicleBar> visible_bars(const stacks::Icicle& icicle, std::uint32_t depth, const IcicleWindow& window,
                                    double width_px);

/// The window that shows the whole width of an icicle, from its top row.
IcicleWindow whole_icicle(const stacks::Icicle& icicle);
/// Zooms by `factor` about `x`, which keeps its place on the screen; clamped to the icicle.
IcicleWindow zoom_icicle(const stacks::Icicle& icicle, const IcicleWindow& window, double x, double factor);
/// Scrolls by `dx` to the right, in the icicle's unit, and by `rows` downwards; `rows_on_screen` rows fit on the screen.
IcicleWindow pan_icicle(const stacks::Icicle& icicle, const IcicleWindow& window, double dx, double rows,
                        double rows_on_screen);

/// Formats an amount in the icicle's unit: "1.24 ms", "3.5 MiB".
std::string amount_text(Unit unit, double amount);
/// Percentage of a total, as "12.3 %"; "0 %" if the total is 0.
std::string share_text(double amount, double total);
/// Label of a bar: "attention.py:17", "linear  1.24 ms", "mul, add  attention.py:17", "... 12 operations".
std::string bar_text(const stacks::Icicle& icicle, const IcicleBar& bar);
/// Number of operations or allocations that a bar covers.
std::uint32_t entries_in(const stacks::Icicle& icicle, const IcicleBar& bar);
/// Totals of an icicle: "forward 12.3 ms  ·  backward 24.1 ms  ·  sum 36.4 ms  ·  backward/forward 1.96".
std::string totals_text(const stacks::Icicle& icicle);

/// Returns the lines of a bar's tooltip, one fact each; the first one has no name.
std::vector<Fact> bar_facts(const stacks::Icicle& icicle, const IcicleBar& bar);
/// The name of a fact, unless it is empty, and its value.
std::string fact_line(const Fact& fact);
/// Returns the nodes from the outermost bar down to `node`: the chain of source lines that called each other.
std::vector<std::uint32_t> path_to(const stacks::Icicle& icicle, std::uint32_t node);

/// View state of one icicle.
struct IcicleViewState {
    IcicleWindow window;
    std::vector<IcicleWindow> zoomed_from;  ///< undo stack of zooms by double click
    std::optional<std::uint32_t> selected;  ///< index of the selected node
    std::optional<IcicleBar> hovered;
    bool shows_root = true;       ///< the root's row must be scrolled into view in the next frame
    std::uint32_t menu_node = 0;  ///< node that the open context menu belongs to
    bool is_dragging = false;
    IcicleWindow pressed_window;  ///< window at the time when the mouse button was pressed
    ScreenPoint min, max;         ///< area of the bars in the last frame
    float row_px = 1;

    double rows_on_screen() const { return static_cast<double>((max.y - min.y) / row_px); }
};

/// View states of the icicles of the open file, and the picture on the screen.
struct IcicleState {
    std::vector<IcicleViewState> views;           ///< view states, parallel to Session::icicles()
    std::optional<std::size_t> shown;             ///< index of the icicle on the screen; nullopt for the timeline
    std::shared_ptr<const stacks::Icicle> flame;  ///< the flame graph; null until it is built, and while it is closed
};

// Selection and zoom of icicles. No GUI dependencies.

/// Returns the initial state: everything in view and nothing selected. Shows the timeline if `has_timeline`, else the first
/// icicle.
IcicleState make_icicle_state(const std::vector<stacks::Icicle>& icicles, bool has_timeline);

/// Returns the index of the picture after the current one, numbered as in ShowPicture.
std::size_t next_picture(const IcicleState& state, bool has_timeline);

/// Zooms in until the range between two positions fills the window; no-op if the range has no width.
void zoom_into_bar(IcicleViewState& state, const stacks::Icicle& icicle, double x_begin, double x_end);

void zoom_icicle_about_middle(IcicleViewState& state, const stacks::Icicle& icicle, double factor);
void zoom_icicle_to_selection(IcicleViewState& state, const stacks::Icicle& icicle);
/// Zooms out to the window before the last zoom into a bar, else to the whole icicle. Returns false if it is already there.
bool zoom_icicle_out(IcicleViewState& state, const stacks::Icicle& icicle);

/// Draws bars and axis into an area of the current window, without mouse or keyboard input.
void draw_icicle_picture(const IcicleViewState& state, const stacks::Icicle& icicle, ScreenPoint pos, ScreenPoint size);

/// Fills the rest of the current window with an icicle and handles the mouse: drag, wheel, hover, click, double click.
void draw_icicle_view(IcicleViewState& state, const stacks::Icicle& icicle, Requests& requests);

/// Label and tooltip of the tab of the timeline.
struct TimelineTab {
    const char* name;
    const char* doc;
};

/// Draws the tabs that switch between the timeline, if there is one, and the icicles. Draws nothing if there is only one
/// picture.
void draw_picture_tabs(const IcicleState& state, const std::vector<const stacks::Icicle*>& icicles,
                       const std::optional<TimelineTab>& timeline, Requests& requests);

/// Fills the rest of the current window with all facts about a node of an icicle, or with a hint if no node is selected.
void draw_icicle_details(const stacks::Icicle& icicle, std::optional<std::uint32_t> selected, Requests& requests);

/// Returns the facts about a node as plain text, for the clipboard.
std::string icicle_node_text(const stacks::Icicle& icicle, std::uint32_t node);

}  // namespace snapviewer::reports
