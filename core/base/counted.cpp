#include "core/base/counted.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace snapviewer {

std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace snapviewer
