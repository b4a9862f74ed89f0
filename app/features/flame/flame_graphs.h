#pragma once

#include <cstdint>
#include <string>

#include "app/features/app_state.h"
#include "app/features/flame/flame_task.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The flame graph of the moment that Live speaks of, or of the range that the ruler measures, while it is open: made in the
/// background, and anew when the moment, the device or what is wanted of it changes. Main thread.
class FlameGraphs : public Feature {
public:
    /// Both outlive this.
    FlameGraphs(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Every frame.
    void update() override;
    /// Opens it, or goes back to the timeline.
    void toggle();
    /// Of one function alone, that of a bar, who calls it and what it calls; and back to all.
    void show_callers(std::uint32_t node);
    void show_callers_of_selected();
    void leave_callers() { state_.flame.wanted.paths.around.reset(); }
    /// Writes what is drawn as folded stacks; into the clipboard without a path.
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
    std::shared_ptr<const Document> document_;  ///< that it was asked of
    std::size_t device_index_ = 0;
    FlameMoment asked_;
    bool has_asked_ = false;
    Job<FlameOutcome> job_;
    Job<WrittenFolded> writing_;
};

}  // namespace snapviewer
