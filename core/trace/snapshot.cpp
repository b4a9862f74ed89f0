#include "core/trace/snapshot.h"

#include <array>

namespace snapviewer {

std::int64_t first_event_id(const Snapshot& snapshot, const DeviceTrace& trace) {
    std::size_t events = 0;
    for (const DeviceTrace& device : snapshot.devices) {
        if (device.device == trace.device) break;
        events += device.events.size();
    }
    return static_cast<std::int64_t>(events);
}

std::string_view setting_text(const Snapshot& snapshot, std::string_view name) {
    for (const auto& [known, value] : snapshot.settings) {
        if (known == name) return value;
    }
    return {};
}

std::string_view action_name(const Snapshot& snapshot, Action action) {
    constexpr std::array<std::string_view, 11> k_names = {"alloc",         "free_requested", "free_completed",
                                                          "segment_alloc", "segment_free",   "segment_map",
                                                          "segment_unmap", "snapshot",       "oom",
                                                          "annotate",      "user_defined"};
    const auto index = static_cast<std::size_t>(action);
    return index < k_names.size() ? k_names[index] : snapshot.other_actions[index - k_names.size()];
}

const char* file_kind_name(FileKind kind) {
    constexpr std::array k_names = {"pytorch_pickle",  "pytorch_json",      "pytorch_html",     "memory_timeline",
                                    "snapviewer_zip",  "snapviewer_folder", "insight_snapshot", "memory_report",
                                    "run_time_report", "ascend_profiler",   "msprof",           "msmemscope",
                                    "sqlite"};
    return k_names[static_cast<std::size_t>(kind)];
}

bool is_pytorch_recording(FileKind kind) {
    return kind == FileKind::pytorch_pickle || kind == FileKind::pytorch_json || kind == FileKind::pytorch_html ||
           kind == FileKind::insight_snapshot;
}

const char* reserved_known_name(ReservedKnown known) {
    constexpr std::array k_names = {"no", "end", "throughout"};
    return k_names[static_cast<std::size_t>(known)];
}

const char* origin_name(Origin origin) {
    constexpr std::array k_names = {"alloc", "freed", "standing", "derived", "unplaced"};
    return k_names[static_cast<std::size_t>(origin)];
}

const char* state_name(AllocationState state) {
    constexpr std::array k_names = {"live", "awaiting_free", "freed"};
    return k_names[static_cast<std::size_t>(state)];
}

const char* block_state_name(BlockState state) {
    constexpr std::array k_names = {"inactive", "active_allocated", "active_pending_free"};
    return k_names[static_cast<std::size_t>(state)];
}

}  // namespace snapviewer
