#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer compare`.
void add_compare_command(CommandLine& line);

}  // namespace snapviewer
