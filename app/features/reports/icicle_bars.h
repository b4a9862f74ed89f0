#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/stacks/icicle.h"

namespace snapviewer {

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
std::vector<IcicleBar> visible_bars(const Icicle& icicle, std::uint32_t depth, const IcicleWindow& window, double width_px);

/// The window that shows the whole width of an icicle, from its top row.
IcicleWindow whole_icicle(const Icicle& icicle);
/// Zooms by `factor` about `x`, which keeps its place on the screen; clamped to the icicle.
IcicleWindow zoom_icicle(const Icicle& icicle, const IcicleWindow& window, double x, double factor);
/// Scrolls by `dx` to the right, in the icicle's unit, and by `rows` downwards; `rows_on_screen` rows fit on the screen.
IcicleWindow pan_icicle(const Icicle& icicle, const IcicleWindow& window, double dx, double rows, double rows_on_screen);

/// Formats an amount in the icicle's unit: "1.24 ms", "3.5 MiB".
std::string amount_text(Unit unit, double amount);
/// Percentage of a total, as "12.3 %"; "0 %" if the total is 0.
std::string share_text(double amount, double total);
/// Label of a bar: "attention.py:17", "linear  1.24 ms", "mul, add  attention.py:17", "... 12 operations".
std::string bar_text(const Icicle& icicle, const IcicleBar& bar);
/// Number of operations or allocations that a bar covers.
std::uint32_t entries_in(const Icicle& icicle, const IcicleBar& bar);
/// Totals of an icicle: "forward 12.3 ms  ·  backward 24.1 ms  ·  sum 36.4 ms  ·  backward/forward 1.96".
std::string totals_text(const Icicle& icicle);

}  // namespace snapviewer
