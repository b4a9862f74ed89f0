#pragma once

namespace CLI {
class App;
}

namespace snapviewer {

/// Adds `snapviewer export`, which leaves its exit status in `status`.
void add_export_command(CLI::App& app, int& status);

}  // namespace snapviewer
