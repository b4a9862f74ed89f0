#pragma once

#include <cstdint>
#include <string>

#include "app/features/app_state.h"
#include "app/features/flame/flame_task.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Keeps the flame graph up to date while it is open. It shows the moment of the Live page or the range of the ruler, and is
/// rebuilt in the background when the moment, the device or its options change. Main thread.
class FlameGraphs : public Feature {
public:
    /// Both arguments must outlive this object.
    FlameGraphs(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Must be called once per frame.
    void update() override;
    /// Opens the flame graph, or closes it and shows the timeline again.
    void toggle();
    /// Restricts the flame graph to the function of a bar, with its callers and callees. leave_callers() removes the
    /// restriction.
    void show_callers(std::uint32_t node);
    void show_callers_of_selected();
    void leave_callers() { state_.flame.wanted.paths.around.reset(); }
    /// Writes the stacks of the flame graph as folded text to a file, or to the clipboard if `path` is empty.
    void save_folded(const std::string& path);
    bool is_busy() const override { return job_.is_busy() || writing_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override;

private:
    void close();
    void show();
    void take();
    void show_made(MadeFlame made);
    void take_written();
    FlameMoment wanted_moment() const;

    AppState& state_;
    Pictures& pictures_;
    std::shared_ptr<const Document> document_;  ///< document of the current flame graph
    std::size_t device_index_ = 0;
    FlameMoment asked_;
    bool has_asked_ = false;
    Job<FlameOutcome> job_;
    Job<WrittenFolded> writing_;
};

}  // namespace snapviewer
