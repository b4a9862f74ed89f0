#pragma once

#include <cerrno>
#include <system_error>

#include "core/system/file_handle.h"

namespace snapviewer {

/// The file descriptor of a handle.
inline int descriptor_of(const FileHandle& file) { return static_cast<int>(file.number()); }

/// The error of the last system call (errno).
inline std::error_code last_error() { return {errno, std::system_category()}; }

}  // namespace snapviewer
