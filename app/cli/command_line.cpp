#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <thread>

#include "app/build_facts.h"
#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "app/features/link/links.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/shell/window.h"
#include "app/system/crash_report.h"
#include "app/ui/sandboxed.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/system/processes.h"
#include "core/system/sandbox.h"

namespace snapviewer::cli {
namespace {

/// Parses the command line and runs its command. Without a command, opens the window.
int parse_and_run(const std::vector<std::string>& words) {
    shell::WindowOptions window;
    std::string size;
    std::optional<std::size_t> part;
    CommandLine line("Native viewer for GPU-memory snapshots. Without a command it opens a window.", "snapviewer",
                     version_text);
    line.arguments()
        .value("FILE", window.files,
               "What to open: one file is shown, two are compared; more files, or a folder of ranks, are shown as a fleet; "
               "- is standard input, and node:/path, ssh:// and http(s):// are fetched, as in every command",
               {.is_file = true})
        .value("--part", part, save_picture::k_part_about, {.type_name = "N"})
        .value("--show", window.place, link::k_show_about, {.type_name = "PLACE", .check = link::is_place})
        .value("--size", size, "Size of the window in pixels, WIDTHxHEIGHT", {.check = save_picture::is_size});
    add_info_command(line);
    add_query_command(line);
    add_render_command(line);
    add_export_command(line);
    add_pack_command(line);
    add_report_command(line);
    add_layout_command(line);
    add_tree_command(line);
    add_compare_command(line);
    add_fleet_command(line);
    add_series_command(line);
    add_check_command(line);
    add_replay_command(line);
    add_serve_command(line);
    if (const auto status = line.run(words)) return *status;
    window.part = part_of(part);
    if (const auto parsed = save_picture::parse_size(size)) {
        window.width_px = parsed->width_px;
        window.height_px = parsed->height_px;
    }
    return shell::run_window(window);
}

void note_words(const std::vector<std::string>& words) {
    std::string line = "run";
    for (const std::string& word : words) line += ' ' + word;
    note_action(line);
}

int report_failure(const std::vector<std::string>& words, const Error& error) {
    const std::string command = words.empty() ? "" : words.front() + ": ";
    std::fprintf(stderr, "snapviewer: %s\n", terminal_text(command + error.text()).c_str());
    return k_environment;
}

}  // namespace

int run_guarded(const std::vector<std::string>& words, const std::function<int()>& run) {
    // With less memory the C++ library cannot even throw std::bad_alloc, and ends the program.
    constexpr std::size_t k_min_bytes = 4 << 20;
    void* const block = ::operator new(k_min_bytes, std::nothrow);
    ::operator delete(block);
    if (block == nullptr) {
        std::fputs("snapviewer: needs more memory than is available; end other programs, or raise the limit\n", stderr);
        return k_environment;
    }
    report_crashes(crash_folder());
    report_refused_calls();
    remove_temporary_files_on_signals();
    end_with_parent();
    note_words(words);
    if (const Status sandbox = check_required_sandbox(); !sandbox) {
        std::fprintf(stderr, "snapviewer: %s\n", terminal_text(sandbox.error().text()).c_str());
        return k_environment;
    }
    try {
        return run();
    } catch (const Failure& thrown) {
        return report_failure(words, thrown.error);
    } catch (const std::exception& thrown) {  // usually std::bad_alloc
        return report_failure(words, error_of(thrown));
    }
}

int run_command_line(const std::vector<std::string>& words) {
    return run_guarded(words, [&words] { return parse_and_run(words); });
}

std::string version_text() {
    Sandbox sandbox;
    std::thread([&] { sandbox = enter_sandbox_here({}); }).join();
    return fmt::format("snapviewer {}\ncommit: {}\nbuilt for: {}\nbuilt with: {}\ncan: {}\nsandbox: {}", SNAPVIEWER_VERSION,
                       k_build_facts.commit, k_build_facts.made_for, k_build_facts.libraries, k_build_facts.abilities,
                       sandbox.text());
}

}  // namespace snapviewer::cli
