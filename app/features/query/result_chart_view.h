#pragma once

#include <memory>

#include "app/features/query/result_chart.h"
#include "app/features/query/state.h"

namespace snapviewer {

/// Takes the width of the window below its cursor. Only of a chart without a reason against it. Cost per frame: the pixels
/// of its width, however many points there are.
void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, float height_px);

}  // namespace snapviewer
