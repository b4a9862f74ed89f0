#pragma once

#include <cerrno>
#include <system_error>

#include "core/system/file_handle.h"

namespace snapviewer {

/// A handle as the calls of POSIX take it.
inline int descriptor_of(const FileHandle& file) { return static_cast<int>(file.number()); }

/// Why the last call failed.
inline std::error_code last_error() { return {errno, std::system_category()}; }

}  // namespace snapviewer
