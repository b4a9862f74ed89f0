#include "core/system/posix/close_on_exec.h"

#include <unistd.h>

namespace snapviewer {

bool open_pipe(int (&ends)[2]) { return ::pipe(ends) == 0; }

int open_tcp_socket() { return -1; }

int accept_tcp_socket(int /*listener*/) { return -1; }

}  // namespace snapviewer
