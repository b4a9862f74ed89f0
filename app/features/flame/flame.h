#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/features/flame/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/analysis/stacks/icicle.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// A finished flame graph. Immutable.
struct MadeFlame {
    stacks::FlameMoment moment;
    std::shared_ptr<const stacks::Icicle> graph;
};
using FlameOutcome = Result<MadeFlame>;

/// The work that builds a flame graph. Takes milliseconds, or tenths of a second if the stacks of a large file have not been
/// read yet. Fails if it is stopped or memory runs out.
Job<FlameOutcome>::Work make_flame_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                       stacks::FlameMoment moment);

/// The stacks of a flame graph as folded text.
struct WrittenFolded {
    std::string path;
    Status status;
    std::string text;  ///< the folded text, if `path` is empty
};
Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         stacks::FlameMoment moment, std::string path);

/// Keeps the flame graph up to date while it is open. It shows the moment of the Live page or the range of the ruler, and is
/// rebuilt in the background when the moment, the device or its options change. Main thread.
class FlameGraphs : public Feature {
public:
    /// Both arguments must outlive this object.
    FlameGraphs(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Must be called once per frame.
    void update() override;
    /// Opens the flame graph, or closes it and shows the timeline again.
    void toggle();
    /// Restricts the flame graph to the function of a bar, with its callers and callees. leave_callers() removes the
    /// restriction.
    void show_callers(std::uint32_t node);
    void show_callers_of_selected();
    void leave_callers() { session_.flame.wanted.paths.around.reset(); }
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
    stacks::FlameMoment wanted_moment() const;

    Session& session_;
    Pictures& pictures_;
    std::shared_ptr<const Document> document_;  ///< document of the current flame graph
    std::size_t device_index_ = 0;
    stacks::FlameMoment asked_;
    bool has_asked_ = false;
    Job<FlameOutcome> job_;
    Job<WrittenFolded> writing_;
};

struct FlameOptionsScene {
    std::string moment;              ///< text about the moment or range that is drawn
    std::string file;                ///< path of the open file
    bool has_selected_call = false;  ///< true if a bar is selected whose callers can be shown
};

/// Draws the options above the flame graph: the moment, which end of the stacks is on top, which frames are included, and
/// the function if the graph is restricted to one. Changes `state.wanted`.
void draw_flame_options(FlameState& state, const FlameOptionsScene& scene, Requests& requests);

}  // namespace snapviewer
