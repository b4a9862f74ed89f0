#pragma once

namespace CLI {
class App;
}

namespace snapviewer {

/// Adds `snapviewer render`, which leaves its exit status in `status`.
void add_render_command(CLI::App& app, int& status);

}  // namespace snapviewer
