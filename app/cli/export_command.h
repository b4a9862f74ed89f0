#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer export`.
void add_export_command(CommandLine& line);

}  // namespace snapviewer
