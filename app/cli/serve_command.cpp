#include "app/cli/serve_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/serve/server.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/system/processes.h"
#include "core/system/signals.h"

namespace snapviewer {
namespace {

struct ServeOptions {
    std::string path = ".";
    std::string port;
    std::string idle = "8h";
    std::vector<std::string> hosts;
    std::string page;
};

std::string is_port(const std::string& text) {
    if (parse_number<std::uint16_t>(text)) return "";
    return "'" + text + "' is not a port: expected 1 to 65535, or 0 for any free one";
}

int fail(const std::string& about, const Error& error) {
    fmt::print(stderr, "snapviewer: {}: {}\n", terminal_text(about), terminal_text(error.text()));
    return error.code == ErrorCode::environment ? k_environment : k_at_fault;
}

/// Returns a random token of 160 bits in hexadecimal, which nobody can guess.
std::string new_token() {
    std::random_device random;
    std::string token;
    for (int i = 0; i < 5; ++i) token += fmt::format("{:08x}", random());
    return token;
}

/// Returns the URL path under which JupyterHub's proxy offers ports of this machine; empty if JupyterHub did not start this
/// process.
std::string jupyter_prefix() {
    const char* prefix = std::getenv("JUPYTERHUB_SERVICE_PREFIX");
    return prefix == nullptr ? "" : prefix;
}

/// Prints the link to stdout, for scripts, and instructions to stderr. Returns false if stdout cannot be written.
bool print_link(int port, const std::string& token) {
    fmt::print("http://127.0.0.1:{}/{}/\n", port, token);
    if (std::fflush(stdout) != 0) return false;
    fmt::print(stderr,
               "Whoever has this link can read what is served. From your own machine: ssh -L {0}:127.0.0.1:{0} NODE\n",
               port);
    if (const std::string prefix = jupyter_prefix(); !prefix.empty())
        fmt::print(stderr, "On JupyterHub, behind its own address: {}proxy/{}/{}/\n", terminal_text(prefix), port, token);
    fmt::print(stderr, "Ctrl-C ends it.\n");
    return true;
}

AllowedHosts allowed_hosts(const ServeOptions& options) {
    AllowedHosts hosts{.any = !jupyter_prefix().empty()};
    for (const std::string& host : options.hosts) hosts.names.push_back(lower_case(host));
    return hosts;
}

int run_serve(const ServeOptions& options) {
    const Result<HttpLibrary> http = open_http_library();
    if (!http) return fail("serve", http.error());
    Result<ServedFolder> served = ServedFolder::open(options.path);
    if (!served) return fail(options.path, served.error());
    Result<PageFiles> page = PageFiles::open(options.page);
    if (!page) return fail(options.page, page.error());
    const Result<std::unique_ptr<ServeCommands>> commands = ServeCommands::create();
    if (!commands) return fail("serve", commands.error());
    std::error_code failed;
    const Socket listener = listen_on_loopback(parse_number<std::uint16_t>(options.port).value_or(0), failed);
    if (failed) return fail("port " + options.port, {ErrorCode::environment, "cannot be listened on: " + failed.message()});
    const std::string token = new_token();
    const Site site(*std::move(served), token, allowed_hosts(options), *std::move(page), **commands);
    have_commands_end_with_this_program();
    note_wish_to_end();
    have_broken_pipes_fail();
    if (!print_link(port_of(listener), token))
        return fail("serve", {ErrorCode::environment, "cannot write to standard output"});
    if (serve_until_idle(site, **commands, *http, listener, *parse_duration(options.idle))) {
        fmt::print(stderr, "snapviewer: serve has ended, because nothing was asked for {}\n", options.idle);
        return k_done;
    }
    fmt::print(stderr, "snapviewer: serve has ended, as it was told to\n");
    end_as_asked();
    return k_done;
}

}  // namespace

void add_serve_command(CommandLine& line) {
    const auto options = std::make_shared<ServeOptions>();
    line.command("serve", "Show the files of this machine as pages in a browser of another one",
                 [options] { return run_serve(*options); })
        .value("FILE", options->path, "A folder of snapshots, or one snapshot; the working folder by default")
        .value("--port", options->port, "Where to listen on 127.0.0.1; any free port by default",
               {.type_name = "N", .check = is_port})
        .value("--idle", options->idle, "End when nothing was asked for so long; 0 for never, 8h by default",
               {.type_name = "TIME", .check = is_duration})
        .values("--host", options->hosts, "A name of this machine that a proxy uses, besides localhost",
                {.type_name = "NAME"})
        .value("--page", options->page,
               "A folder with the program as a page, in which files open in the viewer; by default the one that was "
               "installed with snapviewer",
               {.type_name = "FOLDER"});
}

}  // namespace snapviewer
