#pragma once

namespace CLI {
class App;
}

namespace snapviewer {

/// Adds `snapviewer info`, which leaves its exit status in `status`.
void add_info_command(CLI::App& app, int& status);

}  // namespace snapviewer
