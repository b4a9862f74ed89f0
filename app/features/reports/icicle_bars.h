#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/icicle.h"

namespace snapviewer {

/// The part of an icicle that is on the screen.
struct IcicleWindow {
    double x_begin = 0;  ///< in the icicle's unit
    double x_end = 1;
    double top_row = 0;  ///< scrolled down by so many rows

    double width() const { return x_end - x_begin; }
    bool operator==(const IcicleWindow&) const = default;
};

/// Something to draw in one row: one node, or several neighbours too narrow to be drawn each.
struct IcicleBar {
    std::uint32_t first_node = 0;
    std::uint32_t last_node = 0;  ///< inclusive
    double x_begin = 0;           ///< in the icicle's unit
    double x_end = 0;

    bool is_run() const { return first_node != last_node; }
};

/// What of a row lies in a window of so many pixels, from left to right; nodes narrower than a pixel are drawn together.
/// O(pixels log nodes), however many nodes there are.
std::vector<IcicleBar> visible_bars(const Icicle& icicle, std::uint32_t depth, const IcicleWindow& window, double width_px);

/// All of an icicle.
IcicleWindow whole_icicle(const Icicle& icicle);
/// Nearer or further about a place that stays where it is.
IcicleWindow zoom_icicle(const Icicle& icicle, const IcicleWindow& window, double x, double factor);
/// To the right and down; `rows_px` rows fit on the screen.
IcicleWindow pan_icicle(const Icicle& icicle, const IcicleWindow& window, double dx, double rows, double rows_on_screen);

/// "1.24 ms", "3.5 MiB".
std::string amount_text(Unit unit, double amount);
/// "12.3 %"; of nothing, everything is 0 %.
std::string share_text(double amount, double total);
/// What a bar says of itself: "attention.py:17", "linear  1.24 ms", "mul, add  attention.py:17", "... 12 operations".
std::string bar_text(const Icicle& icicle, const IcicleBar& bar);
/// How many operations or allocations a bar stands for.
std::uint32_t entries_in(const Icicle& icicle, const IcicleBar& bar);
/// "forward 12.3 ms  ·  backward 24.1 ms  ·  sum 36.4 ms  ·  backward/forward 1.96".
std::string totals_text(const Icicle& icicle);

}  // namespace snapviewer
