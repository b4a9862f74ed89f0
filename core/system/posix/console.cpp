#include "core/system/console.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/posix/calls.h"

namespace snapviewer {

void prepare_console() {}  // no-op: standard streams are always binary on POSIX

bool is_input_terminal() { return ::isatty(STDIN_FILENO) != 0; }

bool is_output_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

std::uint64_t size_of_input_bytes() {
    struct stat info {};
    const bool is_file = ::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode);
    return is_file ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::optional<std::size_t> read_input(std::span<char> room, std::chrono::milliseconds time, std::error_code& failed) {
    failed.clear();
    pollfd waited{STDIN_FILENO, POLLIN, 0};
    if (::poll(&waited, 1, static_cast<int>(time.count())) == 0) return std::nullopt;
    const ssize_t size = ::read(STDIN_FILENO, room.data(), room.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno == EINTR || errno == EAGAIN) return std::nullopt;
    failed = last_error();
    return 0;
}

}  // namespace snapviewer
