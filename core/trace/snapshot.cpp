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
    static constexpr std::array<std::string_view, 11> k_names = {"alloc",         "free_requested", "free_completed",
                                                                 "segment_alloc", "segment_free",   "segment_map",
                                                                 "segment_unmap", "snapshot",       "oom",
                                                                 "annotate",      "user_defined"};
    const auto index = static_cast<std::size_t>(action);
    if (index < k_names.size()) return k_names[index];
    return snapshot.other_actions[index - k_names.size()];
}

const char* file_kind_name(FileKind kind) {
    switch (kind) {
        case FileKind::pytorch_pickle: return "pytorch_pickle";
        case FileKind::pytorch_json: return "pytorch_json";
        case FileKind::pytorch_html: return "pytorch_html";
        case FileKind::memory_timeline: return "memory_timeline";
        case FileKind::snapviewer_zip: return "snapviewer_zip";
        case FileKind::snapviewer_folder: return "snapviewer_folder";
        case FileKind::insight_snapshot: return "insight_snapshot";
        case FileKind::memory_report: return "memory_report";
        case FileKind::run_time_report: return "run_time_report";
        case FileKind::ascend_profiler: return "ascend_profiler";
        case FileKind::msprof: return "msprof";
        case FileKind::msmemscope: return "msmemscope";
        case FileKind::sqlite: return "sqlite";
    }
    return "";
}

bool is_pytorch_recording(FileKind kind) {
    switch (kind) {
        case FileKind::pytorch_pickle:
        case FileKind::pytorch_json:
        case FileKind::pytorch_html:
        case FileKind::insight_snapshot: return true;
        default: return false;
    }
}

const char* reserved_known_name(ReservedKnown known) {
    switch (known) {
        case ReservedKnown::no: return "no";
        case ReservedKnown::at_end: return "end";
        case ReservedKnown::throughout: return "throughout";
    }
    return "";
}

const char* origin_name(Origin origin) {
    switch (origin) {
        case Origin::alloc: return "alloc";
        case Origin::freed: return "freed";
        case Origin::standing: return "standing";
        case Origin::derived: return "derived";
        case Origin::unplaced: return "unplaced";
    }
    return "";
}

const char* state_name(AllocationState state) {
    switch (state) {
        case AllocationState::live: return "live";
        case AllocationState::awaiting_free: return "awaiting_free";
        case AllocationState::freed: return "freed";
    }
    return "";
}

const char* block_state_name(BlockState state) {
    switch (state) {
        case BlockState::inactive: return "inactive";
        case BlockState::active_allocated: return "active_allocated";
        case BlockState::active_pending_free: return "active_pending_free";
    }
    return "";
}

}  // namespace snapviewer
