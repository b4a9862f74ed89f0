#include "app/features/files/companion.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/load/read_database.h"

namespace snapviewer {
namespace {

/// The time span in which the devices of a document were recorded. Its end is before its begin if there are no times.
std::pair<std::int64_t, std::int64_t> recorded_us(const Document& document) {
    std::pair span(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
    for (const DeviceView& device : document.devices) {
        const Timeline& timeline = *device.timeline;
        if (!timeline.has_times() || timeline.start_time_us() == k_no_time) continue;
        span.first = std::min(span.first, timeline.start_time_us());
        span.second = std::max(span.second, timeline.start_time_us() + timeline.tick_times_us().back());
    }
    return span;
}

/// True if both documents can be ranks of one run: they have different devices, and their recording times overlap.
bool are_of_one_run(const Document& a, const Document& b) {
    const auto is_device_of_b = [&](const DeviceTrace& trace) {
        return std::ranges::find(b.snapshot->devices, trace.device, &DeviceTrace::device) != b.snapshot->devices.end();
    };
    if (std::ranges::any_of(a.snapshot->devices, is_device_of_b)) return false;
    const auto [a_begin, a_end] = recorded_us(a);
    const auto [b_begin, b_end] = recorded_us(b);
    return a_begin <= b_end && b_begin <= a_end;
}

}  // namespace

std::string find_companion(const Document& document, const Document& before, Progress& progress) {
    const FileKind kind = document.snapshot->kind;
    const std::optional<FileKind> wanted = companion_kind(*document.snapshot);
    if (!document.with.empty() || !wanted) return "";
    if (*wanted == kind)
        return companion_kind(*before.snapshot) == kind && are_of_one_run(document, before) ? before.path : "";
    for (const std::string& path : {before.path, before.with}) {
        if (path.empty()) continue;
        const Result<DatabasePair> pair = open_pair(document.path, path, progress);
        if (pair && are_of_one_model(*pair)) return path;
    }
    return "";
}

std::optional<FileKind> companion_kind(const Snapshot& snapshot) {
    if (!snapshot.container.empty()) return std::nullopt;  // an exported file lacks data that a pair needs
    switch (snapshot.kind) {
        case FileKind::memory_report: return FileKind::run_time_report;
        case FileKind::run_time_report: return FileKind::memory_report;
        case FileKind::ascend_profiler: return FileKind::ascend_profiler;
        default: return std::nullopt;
    }
}

const char* companion_name(const Snapshot& snapshot) {
    const std::optional<FileKind> wanted = companion_kind(snapshot);
    if (!wanted) return nullptr;
    switch (*wanted) {
        case FileKind::run_time_report: return "run-time report";
        case FileKind::memory_report: return "memory report";
        case FileKind::ascend_profiler: return "the profile of another rank";
        default: return nullptr;
    }
}

}  // namespace snapviewer
