#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/features/query/result_chart.h"

namespace snapviewer {

/// The chart of an answer between two frames.
struct ResultChartState {
    bool is_shown = false;  ///< in place of the rows, where the answer has a chart
    std::string hovered;    ///< what the tooltip says
    /// What is worth drawing of each series of `thinned_of` in so many columns: worked out anew when one of them changes.
    std::shared_ptr<const ResultChart> thinned_of;
    std::size_t columns = 0;
    std::vector<std::vector<ChartPoint>> points;
};

/// Takes the width of the window below its cursor. Only of a chart without a reason against it. Cost per frame: the pixels
/// of its width, however many points there are.
void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, float height_px);

}  // namespace snapviewer
