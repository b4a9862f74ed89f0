#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace snapviewer {

/// Starts the program words[0] without a shell; the other words are its arguments. A name without a slash is found along
/// PATH. All signals of the child are unblocked and have their default actions, whatever this program does with them.
/// `actions` may be null; `flags` are those of posix_spawn() without the ones for signals. Returns an errno, or 0 and the
/// process id in `id`.
int spawn_program(const std::vector<std::string>& words, const posix_spawn_file_actions_t* actions, int flags, pid_t& id);

// Creates descriptors that child processes do not inherit. If the system supports it, they are created with that flag, so
// that a program that another thread starts at the same time does not inherit them either. Results are those of pipe(),
// socket() and accept().

bool open_pipe(int (&ends)[2]);
/// Creates a non-blocking TCP socket.
int open_tcp_socket();
int accept_tcp_socket(int listener);

}  // namespace snapviewer
