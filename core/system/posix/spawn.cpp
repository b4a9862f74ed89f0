#include "core/system/posix/processes.h"

#include <unistd.h>

#include <csignal>

extern char** environ;  // not declared by the headers of every system

namespace snapviewer {

int spawn_program(const std::vector<std::string>& words, const posix_spawn_file_actions_t* actions, int flags, pid_t& id) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // never modified
    arguments.push_back(nullptr);
    sigset_t none, all;
    sigemptyset(&none);  // no "::", because these are macros on some systems
    sigfillset(&all);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    const int failed = ::posix_spawnp(&id, arguments.front(), actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    return failed;
}

}  // namespace snapviewer
