#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "app/features/files/files_on_disk.h"
#include "app/features/notes/note_file.h"
#include "app/features/notes/notes.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/picture/spec_picture.h"
#include "app/serve/server.h"
#include "core/base/text.h"
#include "core/system/processes.h"

namespace snapviewer::cli {
namespace {

/// Preferences and notes that the window has saved.
struct Remembered {
    Preferences settings;
    std::vector<notes::Note> notes;
    kinds::KindRules rules;
};

/// Loads the saved preferences and notes if `spec` asks for them. Must be called before the sandbox starts, which makes
/// these files unreadable.
Result<Remembered> remember(const save_picture::PictureSpec& spec) {
    Remembered remembered;
    if (spec.remembered) {
        remembered.settings = load_preferences();
        if (const auto rules = kinds::KindRules::parse(remembered.settings.kind_rules); rules) remembered.rules = *rules;
        const std::optional<std::uint64_t> content = files::content_hash(spec.file);
        if (content && !notes::notes_path(*content).empty()) {
            auto notes = notes::read_notes(notes::notes_path(*content));
            if (!notes) return notes.error();
            remembered.notes = *std::move(notes);
        }
    }
    if (spec.rules.empty()) return remembered;
    const auto rules = read_rules_file(spec.rules);
    if (!rules) return rules.error();
    remembered.rules = *rules;
    return remembered;
}

int run_render(const save_picture::PictureSpec& spec) {
    const Result<Remembered> remembered = remember(spec);
    CommandRun session(spec.file, {.outputs = {spec.out}, .draws = true});
    if (!remembered) return session.report(remembered.error(), spec.rules);
    const Document* document =
        session.open({.with = spec.with, .kind_rules = remembered->rules, .part = part_of(spec.part)});
    if (document == nullptr) return session.status();
    const auto icicle = picture::find_icicle(*document, spec.picture);
    if (!icicle) return session.report(icicle.error());
    const auto device = *icicle ? std::optional<std::size_t>(0) : session.require_device(spec.device);
    if (!device) return session.status();
    const Status drawn =
        *icicle ? picture::draw_spec_icicle(*document, **icicle, spec)
                : picture::draw_spec(*document, *device, spec, remembered->settings, remembered->notes, session.progress());
    if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? spec.out : "");
    session.report_import_log();
    return k_done;
}

}  // namespace

void add_render_command(CommandLine& line) {
    const auto spec = std::make_shared<save_picture::PictureSpec>();
    Arguments arguments =
        line.command("render", "Draw a picture of a file; no display needed", [spec] { return run_render(*spec); });
    for (const save_picture::PictureOption& option : save_picture::picture_options()) {
        ValueForm form{
            .required = option.is_required, .type_name = option.type_name, .check = option.check, .is_file = option.is_file};
        if (option.one_of != nullptr) form.one_of = option.one_of();
        std::visit(
            [&](auto field) {
                if constexpr (std::is_same_v<decltype(field), bool save_picture::PictureSpec::*>)
                    arguments.flag(option.name, (*spec).*field, option.about);
                else
                    arguments.value(option.name, (*spec).*field, option.about, form);
            },
            option.field);
    }
}

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

/// Returns an unguessable random token of 160 bits in hexadecimal.
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

serve::AllowedHosts allowed_hosts(const ServeOptions& options) {
    serve::AllowedHosts hosts{.any = !jupyter_prefix().empty()};
    for (const std::string& host : options.hosts) hosts.names.push_back(lower_case(host));
    return hosts;
}

int run_serve(const ServeOptions& options) {
    const Result<HttpLibrary> http = open_http_library();
    if (!http) return fail("serve", http.error());
    Result<serve::ServedFolder> served = serve::ServedFolder::open(options.path);
    if (!served) return fail(options.path, served.error());
    Result<serve::PageFiles> page = serve::PageFiles::open(options.page);
    if (!page) return fail(options.page, page.error());
    const Result<std::unique_ptr<serve::ServeCommands>> commands = serve::ServeCommands::create();
    if (!commands) return fail("serve", commands.error());
    std::error_code failed;
    const Socket listener = listen_on_loopback(parse_number<std::uint16_t>(options.port).value_or(0), failed);
    if (failed) return fail("port " + options.port, {ErrorCode::environment, "cannot be listened on: " + failed.message()});
    const std::string token = new_token();
    const serve::Site site(*std::move(served), token, allowed_hosts(options), *std::move(page), **commands);
    end_commands_on_exit();
    record_end_request();
    ignore_broken_pipes();
    if (!print_link(port_of(listener), token))
        return fail("serve", {ErrorCode::environment, "cannot write to standard output"});
    if (serve::serve_until_idle(site, **commands, *http, listener, *parse_duration(options.idle))) {
        fmt::print(stderr, "snapviewer: serve has ended, because nothing was asked for {}\n", options.idle);
        return k_done;
    }
    fmt::print(stderr, "snapviewer: serve has ended, as it was told to\n");
    end_by_recorded_signal();
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
        .value("--host", options->hosts, "A name of this machine that a proxy uses, besides localhost",
               {.type_name = "NAME"})
        .value("--page", options->page,
               "A folder with the program as a page, in which files open in the viewer; by default the one that was "
               "installed with snapviewer",
               {.type_name = "FOLDER"});
}

}  // namespace snapviewer::cli
