#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer report`.
void add_report_command(CommandLine& line);

/// Adds `snapviewer layout`.
void add_layout_command(CommandLine& line);

}  // namespace snapviewer
