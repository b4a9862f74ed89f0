#include "core/base/answer_limits.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace snapviewer {
std::string how_many_more(std::size_t count, std::string_view noun) {
    return fmt::format("\u2026 {} more {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string more_frames(std::size_t count) { return how_many_more(count, "frame"); }

}  // namespace snapviewer
