#pragma once

#include <functional>
#include <string>
#include <vector>

namespace snapviewer::cli {

/// Runs the program with the words of the command line, without the program's own name: opens a window, or runs a command.
/// Returns the exit status: 0 for success, 1 if the file or the query is at fault, 2 for wrong usage, 3 for a problem of the
/// environment. Prints results to stdout and one line per error to stderr. Main thread only.
int run_command_line(const std::vector<std::string>& words);

/// Calls `run` as a program's whole work and returns its exit status. Before, prepares the process: reports crashes and
/// system calls that the sandbox refuses, removes temporary files on signals, and returns an error if the environment
/// requires a sandbox that this system lacks. Prints an exception as one line on stderr. `words` is the command line, for
/// crash reports. Main thread only, once, before other threads start.
int run_guarded(const std::vector<std::string>& words, const std::function<int()>& run);

/// The output of `snapviewer --version`: several lines, of which the first is "snapviewer 1.2.3". Takes some 3 ms, because
/// it tries the sandbox in a temporary thread.
std::string version_text();

}  // namespace snapviewer::cli
