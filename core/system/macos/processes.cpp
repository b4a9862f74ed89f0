#include "core/system/processes.h"

#include <mach-o/dyld.h>

#include <array>

namespace snapviewer {

std::filesystem::path own_program() {
    std::array<char, 4096> path{};
    std::uint32_t size = path.size();
    std::error_code failed;
    if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
    return std::filesystem::canonical(path.data(), failed);
}

void have_commands_end_with_this_program() {}
void end_with_parent() {}

}  // namespace snapviewer
