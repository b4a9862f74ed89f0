#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer tree`.
void add_tree_command(CommandLine& line);

}  // namespace snapviewer
