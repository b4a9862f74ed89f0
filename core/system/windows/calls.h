#pragma once

#include <windows.h>

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/system/file_handle.h"

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

/// Joins words into a command line from which Windows' CommandLineToArgvW() gets the same words.
std::wstring command_line_of(const std::vector<std::string>& words);

}  // namespace snapviewer
