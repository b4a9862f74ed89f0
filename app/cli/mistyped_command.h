#pragma once

#include <span>
#include <string>

namespace snapviewer {

/// Why the first word of a command line is neither a file to open nor one of the commands, with the command most like it;
/// empty for an option, a command, anything that exists and anything that looks like a path.
std::string mistyped_command(const std::string& word, std::span<const std::string> commands);

}  // namespace snapviewer
