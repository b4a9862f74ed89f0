#pragma once

#include <string>
#include <vector>

namespace snapviewer {

/// The program with the words it was given, without its own name: a window, or one of the commands that need none. Gives the
/// exit status: 0 done, 1 the file or the query is at fault, 2 wrong usage, 3 the environment. Results go to stdout, one
/// line per error to stderr. Main thread only.
int run_command_line(const std::vector<std::string>& words);

}  // namespace snapviewer
