#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer replay`, which shows the effect of other allocator settings.
void add_replay_command(CommandLine& line);

}  // namespace snapviewer
