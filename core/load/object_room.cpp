/// The part of ObjectBuilder that knows what its rows take: room, memory, the budget.
#include <algorithm>
#include <utility>

#include "core/load/object_builder.h"
#include "core/system/memory.h"
#include "core/trace/observer.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_event_bytes = 48;  // that one takes at least in a file of many: with a stack that came before
/// What a document holds in the end for each event at most, and for each alloc or free, which has a tick of the timeline, a
/// place in the picture and half an allocation.
constexpr double k_held_bytes_an_event = 37;
constexpr double k_held_bytes_an_action = 100;
/// No more room is made than this share of the memory there is could fill: where addresses are limited, they would run out
/// before anything could be said.
constexpr std::uint64_t k_available_bytes_a_row = 128;
constexpr std::uint64_t k_telling_bytes = 16 << 20;  // of a file, before its memory is estimated

}  // namespace

void ObjectBuilder::expect(std::uint64_t file_bytes) {
    // A file that comes from elsewhere may promise any size, and its account grows only with what has come.
    const std::uint64_t most =
        std::min(available_memory_bytes(), budget_.account().limit_bytes() / 2) / k_available_bytes_a_row;
    const auto count = static_cast<std::size_t>(std::min(file_bytes / k_event_bytes, most));
    lists_.reserve(count);
    dicts_.reserve(count);
    events_.reserve(count);
}

/// Where the events of the device that has most begin and end; the last of them may still be in the making.
std::pair<std::size_t, std::size_t> ObjectBuilder::longest_event_run() const {
    std::pair<std::size_t, std::size_t> longest;
    for (std::size_t i = 0; i < event_runs_.size(); ++i) {
        const std::size_t end = i + 1 < event_runs_.size() ? event_runs_[i + 1] : events_.size() - 1;
        const std::size_t first = event_runs_[i];
        if (end > first && end - first > longest.second - longest.first) longest = {first, end};
    }
    return longest;
}

void ObjectBuilder::show() {
    Progress* const progress = Context::current().progress;
    if (progress == nullptr) return;
    for (; shown_events_ < events_.size(); ++shown_events_) {
        const auto size_bytes = static_cast<std::int64_t>(events_.size_bytes[shown_events_]);
        const Action action = events_.action[shown_events_];
        shown_actions_ += action == Action::alloc || action == Action::free_completed ? 1 : 0;
        progress->totals().add(action == Action::alloc ? size_bytes : action == Action::free_completed ? -size_bytes : 0);
    }
    Observer* observer = progress->observer();
    if (observer == nullptr || !observer->wants_to_look()) return;
    const auto run = longest_event_run();
    const std::size_t count = run.second - run.first;
    if (count == 0) return;
    observer->look(*snapshot_, count, [&] {
        DeviceTrace device;
        device.events = events_.slice(run.first, count);
        return device;
    });
}

void ObjectBuilder::check_room(std::uint64_t read_bytes, std::uint64_t file_bytes) const {
    if (read_bytes < k_telling_bytes) return;
    const double so_far = k_held_bytes_an_event * static_cast<double>(shown_events_) +
                          k_held_bytes_an_action * static_cast<double>(shown_actions_);
    const double whole = static_cast<double>(std::max(file_bytes, read_bytes)) / static_cast<double>(read_bytes);
    need_ok(budget_.foresee(static_cast<std::uint64_t>(so_far * whole)));
}

void ObjectBuilder::prepare_room() {
    std::apply([&](const auto&... columns) { growth_.look(columns..., lists_, dicts_); },
               EventColumns::fields(std::as_const(events_)));
}

}  // namespace snapviewer
