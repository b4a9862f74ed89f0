#pragma once

namespace snapviewer {

class CommandLine;

/// Adds `snapviewer bench`.
void add_bench_command(CommandLine& line);

}  // namespace snapviewer
