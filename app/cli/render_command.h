#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer render`.
void add_render_command(CommandLine& line);

}  // namespace snapviewer
