#include "core/system/windows/calls.h"

#include <algorithm>
#include <limits>

namespace snapviewer {

std::wstring wide_text(std::string_view utf8) {
    const int size = static_cast<int>(utf8.size());
    std::wstring wide(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
    ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, wide.data(), static_cast<int>(wide.size()));
    return wide;
}

std::string utf8_text(std::wstring_view wide) {
    const int size = static_cast<int>(wide.size());
    const int needed = ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(needed), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, text.data(), needed, nullptr, nullptr);
    return text;
}

bool has_bytes_or_ended(HANDLE pipe) {
    DWORD size = 0;
    return ::PeekNamedPipe(pipe, nullptr, 0, nullptr, &size, nullptr) == FALSE || size > 0;
}

bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time) {
    constexpr DWORD k_poll_interval_ms = 2;
    const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(time.count());
    while (!has_bytes_or_ended(pipe)) {
        if (::GetTickCount64() >= end) return false;
        ::Sleep(k_poll_interval_ms);
    }
    return true;
}

std::size_t read_stream(HANDLE stream, std::span<char> buffer, std::error_code& failed) {
    failed.clear();
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min<std::size_t>(buffer.size(), std::numeric_limits<DWORD>::max()));
    if (::ReadFile(stream, buffer.data(), wanted, &got, nullptr) != FALSE) return got;
    const DWORD why = ::GetLastError();
    if (why != ERROR_BROKEN_PIPE && why != ERROR_HANDLE_EOF) failed = last_error();
    return 0;
}

}  // namespace snapviewer
