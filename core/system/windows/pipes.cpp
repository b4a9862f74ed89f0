#include "core/system/windows/pipes.h"

#include <algorithm>
#include <limits>

namespace snapviewer {
namespace {

constexpr DWORD k_look_every_ms = 2;

}  // namespace

bool has_something(HANDLE pipe) {
    DWORD size = 0;
    return ::PeekNamedPipe(pipe, nullptr, 0, nullptr, &size, nullptr) == FALSE || size > 0;
}

bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time) {
    const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(time.count());
    while (!has_something(pipe)) {
        if (::GetTickCount64() >= end) return false;
        ::Sleep(k_look_every_ms);
    }
    return true;
}

std::size_t read_stream(HANDLE stream, std::span<char> room, std::error_code& failed) {
    failed.clear();
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min<std::size_t>(room.size(), std::numeric_limits<DWORD>::max()));
    if (::ReadFile(stream, room.data(), wanted, &got, nullptr) != FALSE) return got;
    const DWORD why = ::GetLastError();
    if (why != ERROR_BROKEN_PIPE && why != ERROR_HANDLE_EOF) failed = last_error();
    return 0;
}

}  // namespace snapviewer
