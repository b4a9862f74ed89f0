#pragma once

namespace snapviewer {

/// The program: a window, or one of the commands that need none. Gives the exit status: 0 done, 1 the file or the query is
/// at fault, 2 wrong usage, 3 the environment. Results go to stdout, one line per error to stderr. Main thread only.
int run_command_line(int argc, char** argv);

}  // namespace snapviewer
