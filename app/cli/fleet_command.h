#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer fleet`.
void add_fleet_command(CommandLine& line);

}  // namespace snapviewer
