#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer series`.
void add_series_command(CommandLine& line);

}  // namespace snapviewer
