#include "core/load/standard_input_source.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_input_piece_bytes = 1 << 18;

std::atomic<bool> g_was_taken{false};

}  // namespace

Status StandardInputSource::take() {
    if (::isatty(STDIN_FILENO) != 0)
        return Error{
            ErrorCode::io,
            "is a terminal; expected a file or what another program writes, as in: zstdcat FILE | snapviewer info -"};
    if (g_was_taken.exchange(true))
        return Error{ErrorCode::io, "can be read only once; write it to a file to open it again"};
    return {};
}

StandardInputSource::StandardInputSource(Progress& progress) : progress_(progress), room_(k_input_piece_bytes) {
    struct stat info {};
    if (::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode))
        expected_bytes_ = static_cast<std::uint64_t>(info.st_size);
}

std::string_view StandardInputSource::next_piece() {
    progress_.update(read_bytes_, expected_bytes_);
    while (true) {
        if (progress_.stop_requested()) fail_stopped();
        need_ok(progress_.budget().check_memory());
        pollfd waited{STDIN_FILENO, POLLIN, 0};
        if (::poll(&waited, 1, k_look_for_stop_ms) == 0) continue;
        const ssize_t size = ::read(STDIN_FILENO, room_.data(), room_.size());
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size < 0) need_ok(Error{ErrorCode::io, fmt::format("cannot be read: {}", std::strerror(errno))});
        progress_.budget().add_file(static_cast<std::uint64_t>(size));
        read_bytes_ += static_cast<std::uint64_t>(size);
        return {room_.data(), static_cast<std::size_t>(size)};
    }
}

}  // namespace snapviewer
