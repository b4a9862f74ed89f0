#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer serve`.
void add_serve_command(CommandLine& line);

}  // namespace snapviewer
