#pragma once

namespace CLI {
class App;
}

namespace snapviewer {

/// Adds `snapviewer query`, which leaves its exit status in `status`.
void add_query_command(CLI::App& app, int& status);

}  // namespace snapviewer
