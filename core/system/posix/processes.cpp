#include "core/system/processes.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "core/system/posix/spawn.h"

namespace snapviewer {

std::vector<std::string> words_of_main(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

void set_variable(const char* name, const char* value) { ::setenv(name, value, 0); }

std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed) {
    pid_t id = 0;
    failed = {spawn_program(words, nullptr, POSIX_SPAWN_SETSID, id), std::system_category()};
    return failed ? std::nullopt : std::optional<std::intptr_t>(id);
}

bool has_ended(std::intptr_t program) { return ::waitpid(static_cast<pid_t>(program), nullptr, WNOHANG) != 0; }

}  // namespace snapviewer
