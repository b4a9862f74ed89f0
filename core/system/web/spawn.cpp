#include "core/system/posix/spawn.h"

#include <cerrno>

namespace snapviewer {

/// A web page cannot start programs.
int spawn_program(const std::vector<std::string>& /*words*/, const posix_spawn_file_actions_t* /*actions*/, int /*flags*/,
                  pid_t& /*id*/) {
    return ENOSYS;
}

}  // namespace snapviewer
