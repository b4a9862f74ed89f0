#pragma once

/// Creates descriptors that child processes do not inherit. If the system supports it, they are created with that flag, so
/// that a program that another thread starts at the same time does not inherit them either. Results are those of pipe(),
/// socket() and accept().
namespace snapviewer {

bool open_pipe(int (&ends)[2]);
/// Creates a non-blocking TCP socket.
int open_tcp_socket();
int accept_tcp_socket(int listener);

}  // namespace snapviewer
