#include "core/load/profilers/detail_text.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace snapviewer {

std::string moment_text(std::int64_t time_ns) {
    return fmt::format("{}{:03} UTC", format_wall_clock_us(time_ns / 1000), time_ns % 1000);
}

std::string duration_text(std::int64_t duration_ns) {
    return fmt::format("{:.3f} ms", static_cast<double>(duration_ns) / 1e6);
}

}  // namespace snapviewer
