#include "core/system/processes.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace snapviewer {
namespace {

/// The variable with the id of the process whose end must end its commands. It is an environment variable because
/// PR_SET_PDEATHSIG is not inherited.
constexpr const char* k_parent_variable = "SNAPVIEWER_PARENT";

}  // namespace

void have_commands_end_with_this_program() { ::setenv(k_parent_variable, std::to_string(::getpid()).c_str(), 1); }

void end_with_parent() {
    const char* const parent = std::getenv(k_parent_variable);
    if (parent == nullptr) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (parent != std::to_string(::getppid())) std::raise(SIGTERM);  // the parent has ended before prctl()
}

std::filesystem::path own_program() {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
}

}  // namespace snapviewer
