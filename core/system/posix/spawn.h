#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace snapviewer {

/// Starts the program that is named first, looked for in PATH where the name has no slash, with all of them as its
/// arguments; no shell is in between. It gets every signal, each with its default action, whatever this program does with
/// them. `actions` may be null; `flags` are posix_spawn's beyond those for the signals. Gives an error number, or 0 and the
/// `id` of the process.
int spawn_program(const std::vector<std::string>& words, const posix_spawn_file_actions_t* actions, int flags, pid_t& id);

}  // namespace snapviewer
