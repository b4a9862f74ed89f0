#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "core/system/windows/calls.h"

namespace snapviewer {

/// What a program is to have as its standard streams: handles that it inherits, and no others of this one.
struct ProcessStreams {
    HANDLE input = nullptr, output = nullptr, messages = nullptr;
};

/// Starts the program that is named first, looked for in PATH and not in the working folder, where a stranger's files may
/// lie. Its handle, or null where it `failed`. `flags` are those of CreateProcessW().
HANDLE start_process(const std::vector<std::string>& words, DWORD flags, const ProcessStreams& streams,
                     std::error_code& failed);

}  // namespace snapviewer
