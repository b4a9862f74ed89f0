#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer check`, which compares a run with limits.
void add_check_command(CommandLine& line);

}  // namespace snapviewer
