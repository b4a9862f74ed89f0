#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/live/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/feature.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The side page that lists the allocations that are live at a moment.
class LivePage : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit LivePage(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;
    void leave() override { session_.live = LiveListState{}; }
    void describe(nlohmann::json& report) const override;

private:
    void draw_line(Requests& requests);

    Session& session_;
};

/// Makes `state` list another moment. If the file or device has changed, that is the peak, otherwise `tick` if it is set.
void show_live_at(LiveListState& state, const Timeline& timeline, std::optional<std::uint32_t> tick);
/// Filters and sorts the rows again. Call it after sorted_by, is_descending or filter has changed.
void arrange_live_rows(LiveListState& state);
/// Returns the rows in their order on the screen as tab-separated values with a header; bytes are plain numbers.
std::string live_rows_as_tsv(const LiveListState& state);

/// Fills the rest of the current window with the list. A click on a row asks to highlight its stack; a click on the
/// highlighted row asks to end the highlight. `emphasised` is the highlighted stack.
void draw_live_view(LiveListState& state, const Timeline& timeline, std::optional<StackId> emphasised, Requests& requests);

/// Draws a line at the moment of the list. Dragging its foot asks for another moment.
void draw_live_line(const Projection& canvas, const Timeline& timeline, Axis axis, std::uint32_t tick, Requests& requests);

}  // namespace snapviewer
