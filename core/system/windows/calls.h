#pragma once

#include <windows.h>

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/system/file_handle.h"

namespace snapviewer {

/// A handle as the calls of Windows take it.
inline HANDLE handle_of(const FileHandle& file) { return reinterpret_cast<HANDLE>(file.number()); }
inline FileHandle file_of(HANDLE handle) { return FileHandle(reinterpret_cast<std::intptr_t>(handle)); }

/// Why the last call failed.
inline std::error_code last_error() { return {static_cast<int>(::GetLastError()), std::system_category()}; }
/// The same where a call gave false, else none.
inline std::error_code error_of(BOOL result) { return result != FALSE ? std::error_code() : last_error(); }

/// Text as the calls of Windows take it, and back.
std::wstring wide_text(std::string_view utf8);
std::string utf8_text(std::wstring_view wide);

/// The command line that a program takes these words from, as Windows' own CommandLineToArgvW() reads it.
std::wstring command_line_of(const std::vector<std::string>& words);

}  // namespace snapviewer
