#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer query`.
void add_query_command(CommandLine& line);

}  // namespace snapviewer
