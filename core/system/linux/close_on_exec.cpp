#include "core/system/posix/close_on_exec.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace snapviewer {

bool open_pipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }

int open_tcp_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int accept_tcp_socket(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

}  // namespace snapviewer
