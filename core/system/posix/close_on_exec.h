#pragma once

/// What programs that are started do not inherit: where the system can do it, from the first moment, so that a program which
/// another thread starts meanwhile keeps nothing open. As the calls of those names.
namespace snapviewer {

bool open_pipe(int (&ends)[2]);
/// That never wait.
int open_tcp_socket();
int accept_tcp_socket(int listener);

}  // namespace snapviewer
