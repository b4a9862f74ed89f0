#include "app/system/started_programs.h"

#include <sys/wait.h>

#include <cstring>

#include "app/system/posix/spawn.h"

namespace snapviewer {

void StartedPrograms::forget_ended() {
    std::erase_if(running_, [](std::intptr_t id) { return ::waitpid(static_cast<pid_t>(id), nullptr, WNOHANG) != 0; });
}

Status StartedPrograms::start(const std::vector<std::string>& words) {
    forget_ended();
    pid_t id = 0;
    const int failed = spawn_program(words, nullptr, POSIX_SPAWN_SETSID, id);
    if (failed != 0) return Error{ErrorCode::environment, words.front() + " cannot be started: " + std::strerror(failed)};
    running_.push_back(id);
    return {};
}

}  // namespace snapviewer
