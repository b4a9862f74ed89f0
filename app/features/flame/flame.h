#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/features/live/live.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/analysis/stacks/icicle.h"
#include "core/timeline/totals.h"

namespace snapviewer::flame {

/// State of the flame graph that persists between frames. The graph itself is IcicleState::flame.
struct FlameState {
    bool is_open = false;
    /// Options of the flame graph to draw. Its moment is ignored, because the moment of the Live page is used.
    stacks::FlameMoment wanted{.paths = {.frames = stacks::TreeFrames::python}};
    stacks::FlameSelection of_range = stacks::FlameSelection::allocated;  ///< what to draw while the ruler measures a range
    std::optional<TickRange> range;                                       ///< range that the ruler measures, if any
    stacks::FlameMoment shown;                                            ///< moment and options of the graph
    std::string save_path;                                                ///< text of the path field for saving
    int option_lines = 1;  ///< number of lines that the options took in the last frame
};

/// Keeps the flame graph up to date while it is open. It shows the moment of the Live page or the range of the ruler, and is
/// rebuilt in the background when the moment, the device or its options change. Main thread.
class FlameGraphs : public Feature {
public:
    /// All arguments must outlive this object.
    FlameGraphs(Session& session, Pictures& pictures, const live::LivePage& live)
        : session_(session), pictures_(pictures), live_(live) {}

    const FlameState& state() const { return state_; }
    /// Must be called once per frame.
    void update() override;
    /// Opens the flame graph, or closes it and shows the timeline again.
    void toggle();
    /// Restricts the flame graph to the function of a bar, with its callers and callees. leave_callers() removes the
    /// restriction.
    void show_callers(std::uint32_t node);
    void leave_callers() { state_.wanted.paths.around.reset(); }
    bool is_busy() const override { return task_.is_busy() || writing_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override;

private:
    /// The input of a flame graph besides the document.
    struct Input {
        std::size_t device_index = 0;
        stacks::FlameMoment moment;
        bool operator==(const Input&) const = default;
    };
    /// A finished flame graph.
    struct Made {
        stacks::FlameMoment moment;
        std::shared_ptr<const stacks::Icicle> graph;
    };
    /// The stacks of a flame graph as folded text.
    struct Folded {
        std::string path;
        std::string text;  ///< the folded text, if `path` is empty
    };

    static bool has_selected_call(const Session& session);
    void close();
    void show();
    void take();
    void show_made(Made made);
    void save_folded(const std::string& path);
    void take_written();
    stacks::FlameMoment wanted_moment() const;
    void draw_options(Requests& requests);
    void draw_save_popup(Requests& requests);

    Session& session_;
    Pictures& pictures_;
    const live::LivePage& live_;
    FlameState state_;
    BackgroundTask<Made, Input> task_;
    BackgroundTask<Folded> writing_;
};

}  // namespace snapviewer::flame
