#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/job.h"
#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// A copy of the events of one device at some moment while its file is being read, with the colours of all stacks read so
/// far.
struct EventsSoFar {
    std::shared_ptr<Snapshot> snapshot;  ///< snapshot of one device, without the frames of its stacks and without texts
    std::vector<std::uint32_t> stack_colours;
};

/// Copies the events that were read so far, on request, for a preview while a file is loading. The waiting thread calls
/// ask() and take(); the reading thread calls the other functions. The copy has 37 bytes per event and takes milliseconds
/// for a million events. It takes ten times as long if the reader must first convert its data to events.
class ReadingObserver : public Observer {
public:
    void ask() { is_asked_.store(true, std::memory_order_relaxed); }
    /// The requested copy, returned once. nullopt before it is ready, or if there is too little memory for it.
    std::optional<EventsSoFar> take();

    bool wants_partial_result() const override { return is_asked_.load(std::memory_order_relaxed); }
    void on_partial_result(const Snapshot& unfinished, std::size_t events,
                           const std::function<DeviceTrace()>& copy) override;

private:
    std::atomic<bool> is_asked_{false};
    std::mutex mutex_;  ///< guards `seen_`
    std::optional<EventsSoFar> seen_;
};

/// The timeline of the events read so far, as a preview. Immutable. Lacks the blocks that were allocated before the
/// recording, because only the segments and the complete list of events show them.
struct GrowingPicture {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const mesh::Mesh>
        mesh;  ///< mesh that contains only the index, which is enough for a preview of a few seconds
    std::vector<std::uint32_t> colours;
};

using GrowingPictureOutcome = Result<std::shared_ptr<const GrowingPicture>>;
/// The work that computes the preview. Takes as long as the layout and index of as many events when a file is opened.
Job<GrowingPictureOutcome>::Work make_growing_picture_job(EventsSoFar events);

}  // namespace snapviewer
