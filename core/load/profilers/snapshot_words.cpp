#include "core/load/profilers/snapshot_words.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "core/load/failure.h"
#include "core/load/limits.h"

namespace snapviewer {

SnapshotWords::SnapshotWords(Snapshot& snapshot) : snapshot_(snapshot) { snapshot_.streams = {0}; }

Action SnapshotWords::action(std::string_view name) {
    const auto known_count = static_cast<std::size_t>(Action::first_unnamed) + snapshot_.other_actions.size();
    for (std::size_t i = 0; i < known_count; ++i) {
        if (action_name(snapshot_, static_cast<Action>(i)) == name) return static_cast<Action>(i);
    }
    if (snapshot_.other_actions.size() >= limits::k_unnamed_actions) fail("too many kinds of action");
    snapshot_.log.add(ImportCode::unknown_action,
                      "events with an unknown action, kept but not drawn: '" + one_line(name) + "'");
    snapshot_.other_actions.emplace_back(name);
    return static_cast<Action>(known_count);
}

std::uint16_t SnapshotWords::stream(std::uint64_t raw) {
    if (raw == last_stream_) return last_stream_index_;
    const auto known = std::ranges::find(snapshot_.streams, raw);
    last_stream_index_ = static_cast<std::uint16_t>(known - snapshot_.streams.begin());
    last_stream_ = raw;
    if (known != snapshot_.streams.end()) return last_stream_index_;
    if (snapshot_.streams.size() >= limits::k_streams) fail("more than 65535 streams");
    snapshot_.streams.push_back(raw);
    return last_stream_index_;
}

DeviceTrace& SnapshotWords::device(std::int64_t number) {
    constexpr std::int64_t k_most = std::numeric_limits<std::int32_t>::max() - 1;
    const bool is_possible = number >= -k_most && number <= k_most;
    if (!is_possible) snapshot_.log.add(ImportCode::bad_device, "impossible device numbers, read as 0");
    const auto device = static_cast<std::int32_t>(is_possible ? number : 0);
    const auto known = std::ranges::find(snapshot_.devices, device, &DeviceTrace::device);
    if (known != snapshot_.devices.end()) return *known;
    if (snapshot_.devices.size() >= limits::k_devices) fail("more than 1024 devices");
    DeviceTrace& trace = snapshot_.devices.emplace_back();
    trace.device = device;
    return trace;
}

}  // namespace snapviewer
