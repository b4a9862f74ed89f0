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
#include "core/trace/observer.h"

namespace snapviewer {

/// The events of one device that were read when somebody asked, and the colour of every stack by then.
struct EventsSoFar {
    std::shared_ptr<Snapshot> snapshot;  ///< of one device, without what its stacks and texts are
    std::vector<std::uint32_t> stack_colours;
};

/// Copies what was read so far, when asked to, for who waits for a file. ask() and take() are for the thread that waits, the
/// rest for the one that reads; it copies 37 bytes an event in the meantime, which is milliseconds for a million,
/// or makes events of what it read, which takes ten times as long.
class ReadingObserver : public Observer {
public:
    void ask() { is_asked_.store(true, std::memory_order_relaxed); }
    /// What was asked for, once; nothing before it is there, nor where memory is too short for it.
    std::optional<EventsSoFar> take();

    bool wants_to_look() const override { return is_asked_.load(std::memory_order_relaxed); }
    void look(const Snapshot& unfinished, std::size_t events, const std::function<DeviceTrace()>& copy) override;

private:
    std::atomic<bool> is_asked_{false};
    std::mutex mutex_;  ///< guards what follows
    std::optional<EventsSoFar> seen_;
};

/// The picture of what was read so far. Immutable. It lacks what was there before the recording, which is told by the
/// segments and by all of the events.
struct GrowingPicture {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const Mesh> mesh;  ///< the index alone, as a picture for a few seconds need not be more
    std::vector<std::uint32_t> colours;
};

using GrowingPictureOutcome = Result<std::shared_ptr<const GrowingPicture>>;
/// As long as laying out and indexing so many events takes when a file is opened.
Job<GrowingPictureOutcome>::Work make_growing_picture_job(EventsSoFar events);

}  // namespace snapviewer
