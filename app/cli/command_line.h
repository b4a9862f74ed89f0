#pragma once

#include <string>
#include <vector>

namespace snapviewer {

/// Runs the program with the words of the command line, without the program's own name: opens a window, or runs a command.
/// Returns the exit status: 0 for success, 1 if the file or the query is at fault, 2 for wrong usage, 3 for a problem of the
/// environment. Prints results to stdout and one line per error to stderr. Main thread only.
int run_command_line(const std::vector<std::string>& words);

}  // namespace snapviewer
