#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/cli/bench_command.h"
#include "app/cli/export_command.h"
#include "app/cli/info_command.h"
#include "app/cli/option_values.h"
#include "app/cli/query_command.h"
#include "app/cli/render_command.h"
#include "app/cli/session.h"
#include "app/window.h"

namespace snapviewer {
namespace {

/// The subcommands leave their exit status in `status`; without one, it is the window's turn.
int parse_and_run(int argc, char** argv) {
    int status = k_done;
    WindowOptions window;
    std::string size;
    CLI::App app("Native viewer for GPU-memory snapshots. Without a command it opens a window.", "snapviewer");
    app.set_version_flag("--version", "snapviewer " SNAPVIEWER_VERSION, "Print the version and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.add_option("FILE", window.files, "Snapshots to open: the first is shown, the others go to the recent files");
    app.add_option("--size", size, "Size of the window in pixels, WIDTHxHEIGHT")->check(is_size);
    app.add_option("--state-file", window.state_file)->group("");  // for tests, see docs/testing.md
    app.require_subcommand(0, 1);
    add_info_command(app, status);
    add_query_command(app, status);
    add_render_command(app, status);
    add_export_command(app, status);
    add_bench_command(app, status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? k_done : k_wrong_usage;
    }
    if (!app.get_subcommands().empty()) return status;
    if (const auto parsed = parse_size(size)) {
        window.width_px = parsed->width_px;
        window.height_px = parsed->height_px;
    }
    return run_window(window);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const std::exception& error) {  // what is left is mostly a lack of memory
        std::fprintf(stderr, "snapviewer: %s\n", error.what());
        return k_environment;
    }
}

}  // namespace snapviewer
