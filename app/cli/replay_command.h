#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer replay`, which asks what other settings of the allocator would have done.
void add_replay_command(CommandLine& line);

}  // namespace snapviewer
