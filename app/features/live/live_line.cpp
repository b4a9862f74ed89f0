#include "app/features/live/live_line.h"

#include <algorithm>

#include "app/features/timeline/axis_foot.h"
#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {

void draw_live_line(const Projection& canvas, const Timeline& timeline, Axis axis, std::uint32_t tick, Requests& requests) {
    const std::string step = step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    const AxisFoot foot{"live_line", step + "\nDrag: what is alive there is listed on the right",
                        place_of_tick(timeline, axis, tick)};
    const std::optional<float> dragged_to = draw_axis_foot(foot, canvas);
    if (!dragged_to) return;
    const std::uint32_t wanted = timeline.tick_at(axis, std::max(0.0, canvas.x_at(*dragged_to)));
    if (wanted != tick) requests.ask(ListLive{wanted});
}

}  // namespace snapviewer
