#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "core/system/windows/calls.h"

namespace snapviewer {

/// The standard streams of a child process. It inherits these handles and no others.
struct ProcessStreams {
    HANDLE input = nullptr, output = nullptr, messages = nullptr;
};

/// Starts the program words[0], found along PATH. The current folder is not searched, because it may contain files of
/// others. Returns the process handle, which the caller must close, or nullptr if the start `failed`. `flags` are those of
/// CreateProcessW().
HANDLE start_process(const std::vector<std::string>& words, DWORD flags, const ProcessStreams& streams,
                     std::error_code& failed);

}  // namespace snapviewer
