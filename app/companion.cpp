#include "app/companion.h"

namespace snapviewer {

std::optional<FileKind> companion_kind(FileKind kind) {
    switch (kind) {
        case FileKind::memory_report: return FileKind::run_time_report;
        case FileKind::run_time_report: return FileKind::memory_report;
        case FileKind::ascend_profiler: return FileKind::ascend_profiler;
        default: return std::nullopt;
    }
}

const char* companion_name(FileKind kind) {
    switch (kind) {
        case FileKind::memory_report: return "run-time report";
        case FileKind::run_time_report: return "memory report";
        case FileKind::ascend_profiler: return "the profile of another rank";
        default: return nullptr;
    }
}

}  // namespace snapviewer
