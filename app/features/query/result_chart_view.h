#pragma once

#include <memory>

#include "app/features/query/result_chart.h"
#include "app/features/query/state.h"

namespace snapviewer {

/// Draws a chart across the width of the window. Precondition: the chart's `why_not` is empty. Cost per frame: the width in
/// pixels, independent of the number of points.
void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, float height_px);

}  // namespace snapviewer
