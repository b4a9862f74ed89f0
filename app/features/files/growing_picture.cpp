#include "app/features/files/growing_picture.h"

#include <algorithm>
#include <future>
#include <new>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/context.h"
#include "core/mesh/colours.h"
#include "core/system/memory.h"
#include "core/timeline/collect.h"
#include "core/trace/snapshot.h"

namespace snapviewer {
namespace {

/// Memory limits of the preview. A copy and its timeline need at most `k_bytes_an_event` bytes per event, and may use at
/// most 1 / `k_share_of_memory` of the available memory, because the preview is only shown while loading.
constexpr std::uint64_t k_bytes_an_event = 200;
constexpr std::uint64_t k_share_of_memory = 4;

EventsSoFar copy_of(const Snapshot& unfinished, const std::function<DeviceTrace()>& copy) {
    EventsSoFar seen{std::make_shared<Snapshot>(), {}};
    DeviceTrace& device = seen.snapshot->devices.emplace_back(copy());
    device.events.metadata.fill(MetadataId::none());
    seen.stack_colours = mesh::stack_colours(unfinished);
    seen.snapshot->streams = unfinished.streams;
    seen.snapshot->pools = unfinished.pools;
    seen.snapshot->other_actions = unfinished.other_actions;
    return seen;
}

std::shared_ptr<const GrowingPicture> picture_of(const std::shared_ptr<Snapshot>& snapshot,
                                                 const std::vector<std::uint32_t>& stack_colours) {
    limit_values(*snapshot);
    complete_snapshot(*snapshot);
    std::future<mesh::StackIndex> index = mesh::begin_stack_index(snapshot->devices[0]);
    auto picture = std::make_shared<GrowingPicture>();
    picture->timeline = std::make_shared<const Timeline>(Timeline::build(snapshot, 0));
    picture->mesh = std::make_shared<const mesh::Mesh>(mesh::build_mesh(*picture->timeline, std::move(index)));
    picture->colours = mesh::AllocationColours(*picture->timeline, stack_colours).all();
    return picture;
}

}  // namespace

std::optional<EventsSoFar> ReadingObserver::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, std::nullopt);
}

void ReadingObserver::on_partial_result(const Snapshot& unfinished, std::size_t events,
                                        const std::function<DeviceTrace()>& copy) {
    is_asked_.store(false, std::memory_order_relaxed);
    if (events > available_memory_bytes() / k_share_of_memory / k_bytes_an_event) return;
    Result<EventsSoFar> seen = caught([&] { return copy_of(unfinished, copy); });
    if (!seen) return;  // continues reading without a preview, because the file itself may still fit into memory
    const std::lock_guard lock(mutex_);
    seen_ = std::move(*seen);
}

Job<GrowingPictureOutcome>::Work make_growing_picture_job(EventsSoFar events) {
    return [events = std::move(events)](Progress&) {
        return within_memory<GrowingPictureOutcome>([&] { return picture_of(events.snapshot, events.stack_colours); });
    };
}

}  // namespace snapviewer
