#include "core/system/processes.h"

#include <fstream>

namespace snapviewer {

std::filesystem::path own_program() {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
}

std::string boot_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

}  // namespace snapviewer
