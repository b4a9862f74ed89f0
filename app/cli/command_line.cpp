#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/cli/bench_command.h"
#include "app/cli/export_command.h"
#include "app/cli/info_command.h"
#include "app/cli/mistyped_command.h"
#include "app/cli/option_values.h"
#include "app/cli/query_command.h"
#include "app/cli/render_command.h"
#include "app/cli/session.h"
#include "app/window/window.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

int refuse_usage(const std::string& why) {
    std::fprintf(stderr, "snapviewer: %s\nRun with --help for more information.\n", terminal_text(why).c_str());
    return k_wrong_usage;
}

/// The subcommands leave their exit status in `status`; without one, it is the window's turn.
int parse_and_run(int argc, char** argv) {
    int status = k_done;
    WindowOptions window;
    std::string size;
    std::string drawing;
    CLI::App app("Native viewer for GPU-memory snapshots. Without a command it opens a window.", "snapviewer");
    app.set_version_flag("--version", "snapviewer " SNAPVIEWER_VERSION, "Print the version and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.add_option("FILE", window.files, "Snapshots to open: the first is shown, the others go to the recent files");
    app.add_option("--size", size, "Size of the window in pixels, WIDTHxHEIGHT")->check(is_size);
    app.add_option("--drawing", drawing, "What pictures are drawn from; auto takes what this driver draws faster")
        ->check(CLI::IsMember(drawing_names()));
    app.add_option("--state-file", window.state_file)->group("");  // for tests, see docs/testing.md
    app.require_subcommand(0, 1);
    add_info_command(app, status);
    add_query_command(app, status);
    add_render_command(app, status);
    add_export_command(app, status);
    add_bench_command(app, status);
    if (const std::string mistake = argc > 1 ? mistyped_command(argv[1], command_names(app)) : ""; !mistake.empty())
        return refuse_usage(mistake);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : refuse_usage(error.what());
    }
    if (!app.get_subcommands().empty()) return status;
    if (const auto parsed = parse_size(size)) {
        window.width_px = parsed->width_px;
        window.height_px = parsed->height_px;
    }
    window.drawing = drawing_named(drawing);
    return run_window(window);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const std::exception& error) {  // what is left is mostly a lack of memory
        std::fprintf(stderr, "snapviewer: %s\n", terminal_text(error.what()).c_str());
        return k_environment;
    }
}

}  // namespace snapviewer
