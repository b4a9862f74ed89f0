#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer info`.
void add_info_command(CommandLine& line);

}  // namespace snapviewer
