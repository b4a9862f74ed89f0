#include "app/jobs/editor.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

namespace snapviewer {

void StartedPrograms::forget_ended() {
    std::erase_if(running_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
}

Status StartedPrograms::start(const std::vector<std::string>& words) {
    forget_ended();
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // they are only read
    arguments.push_back(nullptr);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t id = 0;
    const int failed = ::posix_spawnp(&id, arguments.front(), nullptr, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0) return Error{ErrorCode::environment, words.front() + " cannot be started: " + std::strerror(failed)};
    running_.push_back(id);
    return {};
}

}  // namespace snapviewer
