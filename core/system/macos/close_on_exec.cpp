#include "core/system/posix/close_on_exec.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace snapviewer {
namespace {

int that_never_waits(int socket) {
    if (socket < 0) return socket;
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return socket;
}

}  // namespace

bool open_pipe(int (&ends)[2]) {
    return ::pipe(ends) == 0 && ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

int open_tcp_socket() { return that_never_waits(::socket(AF_INET, SOCK_STREAM, 0)); }

int accept_tcp_socket(int listener) { return that_never_waits(::accept(listener, nullptr, nullptr)); }

}  // namespace snapviewer
