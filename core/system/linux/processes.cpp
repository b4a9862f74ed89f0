#include "core/system/processes.h"

namespace snapviewer {

std::filesystem::path own_program() {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
}

}  // namespace snapviewer
