#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer check`, which holds a run to limits.
void add_check_command(CommandLine& line);

}  // namespace snapviewer
