#pragma once

#include <windows.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "core/system/files.h"

namespace snapviewer {

/// The Windows handle of a FileHandle, and the reverse.
inline HANDLE handle_of(const FileHandle& file) { return reinterpret_cast<HANDLE>(file.number()); }
inline FileHandle file_of(HANDLE handle) { return FileHandle(reinterpret_cast<std::intptr_t>(handle)); }

/// The error of the last Windows call.
inline std::error_code last_error() { return {static_cast<int>(::GetLastError()), std::system_category()}; }
/// The error of the last Windows call if `result` is FALSE, else no error.
inline std::error_code error_of(BOOL result) { return result != FALSE ? std::error_code() : last_error(); }

/// Converts text between UTF-8 and the UTF-16 of Windows calls.
std::wstring wide_text(std::string_view utf8);
std::string utf8_text(std::wstring_view wide);

/// True if a pipe has bytes or has ended.
bool has_bytes_or_ended(HANDLE pipe);
/// Waits at most for `time` until a pipe has bytes or has ended, and returns whether it has. It polls, because Windows
/// cannot wait for the pipes of standard streams.
bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time);
/// Reads the next bytes and returns their number. 0 at the end of the stream, which is also when all writers have closed it,
/// or if the call `failed`.
std::size_t read_stream(HANDLE stream, std::span<char> buffer, std::error_code& failed);

}  // namespace snapviewer
