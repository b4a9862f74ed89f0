#pragma once

namespace CLI {
class App;
}

namespace snapviewer {

/// Adds `snapviewer bench`, which leaves its exit status in `status`.
void add_bench_command(CLI::App& app, int& status);

}  // namespace snapviewer
