#include "app/companion.h"

namespace snapviewer {

std::string_view companion_kind(std::string_view kind) {
    if (kind == "memory_report") return "run_time_report";
    if (kind == "run_time_report") return "memory_report";
    return kind == "ascend_profiler" ? kind : "";
}

const char* companion_name(std::string_view kind) {
    if (kind == "memory_report") return "run-time report";
    if (kind == "run_time_report") return "memory report";
    return kind == "ascend_profiler" ? "the profile of another rank" : nullptr;
}

}  // namespace snapviewer
