#include "app/cli/arguments.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_run.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/load/remote/fetch.h"

namespace snapviewer::cli {

std::span<const RenamedOption> renamed_options() {
    static const std::vector<RenamedOption> all = {};  // example: {"fleet", "--write", "--db", "1.2"}
    return all;
}

std::vector<std::string> use_new_names(std::vector<std::string>& words, std::span<const RenamedOption> renamed) {
    std::vector<std::string> notices;
    if (words.empty()) return notices;
    const auto use_new_name = [&](std::string& word, std::string_view command) {
        const std::string name = word.substr(0, word.find('='));
        const auto row = std::ranges::find_if(renamed, [&](const RenamedOption& each) {
            return name == each.old_name && (*each.command == '\0' || command == each.command);
        });
        if (row == renamed.end()) return;
        word.replace(0, name.size(), row->new_name);
        notices.push_back(fmt::format("{} is called {} since version {}; the old name will go with the next major version",
                                      name, row->new_name, row->since));
    };
    use_new_name(words.front(), "");
    const std::string command = words.front();
    for (auto word = words.begin() + 1; word != words.end() && *word != "--"; ++word) {
        if (word->starts_with("--")) use_new_name(*word, command);
    }
    return notices;
}

namespace {

constexpr std::size_t k_few_slips = 2;

/// Levenshtein distance: the number of letters to insert, delete or replace to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row.back();
}

bool is_one_word(const std::string& word) {
    const auto is_of_word = [](char c) { return is_letter(c) || c == '_' || c == '-'; };
    return !word.empty() && word.front() != '-' && std::ranges::all_of(word, is_of_word);
}

/// Returns an error text with the most similar command, if the first word of a command line is neither a command nor a file.
/// Returns "" for an option, a command, an existing path, and anything that looks like a path.
std::string mistyped_command(const std::string& word, std::span<const std::string> commands) {
    std::error_code ignored;
    if (!is_one_word(word) || commands.empty() || std::ranges::find(commands, word) != commands.end()) return "";
    if (std::filesystem::exists(std::filesystem::symlink_status(word, ignored))) return "";
    const std::string lower = lower_case(word);
    const auto distance = [&](const std::string& command) { return edit_distance(lower, command); };
    const std::string& nearest = *std::ranges::min_element(commands, {}, distance);
    const bool is_near = distance(nearest) <= k_few_slips && distance(nearest) < nearest.size();
    if (is_near || nearest.starts_with(lower))
        return "there is no command or file '" + word + "'; did you mean '" + nearest + "'?";
    std::string known;
    for (const std::string& command : commands) known += (known.empty() ? "" : ", ") + command;
    return "there is no command or file '" + word + "'; the commands are " + known;
}

/// Replaces "-" with the path that means standard input. Returns an error text if the command line names it twice, else "".
std::string as_standard_input(std::string& path) {
    static int named = 0;  // static, because a process parses only a single command line
    if (path != "-") return "";
    path = k_standard_input;
    return ++named == 1 ? "" : "'-' is given twice, and standard input can be read only once";
}

/// Returns the remote files that the command line names. Their downloads start before the sandbox, which forbids starting
/// programs.
std::vector<std::string>& remote_files() {
    static std::vector<std::string> files;
    return files;
}

std::string note_remote_file(std::string& path) {
    if (is_remote(path)) remote_files().push_back(path);
    return "";
}

/// Starts all downloads and returns an exit status. Reports the first download that cannot start.
int start_fetches() {
    for (const std::string& path : remote_files()) {
        const Status started = remote::start_fetch(path, ChildProgram::Terminal::shared);
        if (started) continue;
        std::fprintf(stderr, "snapviewer: %s: %s\n", terminal_text(path).c_str(),
                     terminal_text(started.error().text()).c_str());
        return k_environment;
    }
    return k_done;
}

void shape(CLI::Option& option, const ValueForm& form) {
    option.required(form.required);
    if (form.is_file) option.transform(CLI::Validator(as_standard_input, ""));
    if (form.is_file) option.transform(CLI::Validator(note_remote_file, ""));
    if (form.check != nullptr) option.check(form.check);
    if (!form.one_of.empty()) option.check(CLI::IsMember(form.one_of));
    if (!form.type_name.empty()) option.type_name(form.type_name);
}

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

}  // namespace

template <typename Value>
Arguments& Arguments::value(const char* name, Value& into, const char* about, const ValueForm& form) {
    shape(*app_->add_option(name, into, about), form);
    return *this;
}

template Arguments& Arguments::value(const char*, std::string&, const char*, const ValueForm&);
template Arguments& Arguments::value(const char*, std::optional<int>&, const char*, const ValueForm&);
template Arguments& Arguments::value(const char*, std::optional<std::size_t>&, const char*, const ValueForm&);
template Arguments& Arguments::value(const char*, std::vector<std::string>&, const char*, const ValueForm&);

Arguments& Arguments::flag(const char* name, bool& into, const char* about) {
    app_->add_flag(name, into, about);
    return *this;
}

CommandLine::CommandLine(const char* about, const char* name, std::function<std::string()> version)
    : app_(std::make_unique<CLI::App>(about, name)), status_(k_done) {
    app_->set_version_flag("--version", std::move(version),
                           "Print the version, the commit and what it was built with, and exit");
    app_->set_help_flag("-h,--help", "Print this help and exit");
    app_->allow_windows_style_options(false);  // a path may begin with / on every system, so / starts no option
    app_->require_subcommand(0, 1);
}

CommandLine::~CommandLine() = default;

Arguments CommandLine::arguments() { return Arguments(*app_); }

Arguments CommandLine::command(const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = app_->add_subcommand(name, about);
    command->callback([this, run = std::move(run)] {
        status_ = start_fetches();
        if (status_ == k_done) status_ = run();
    });
    return Arguments(*command);
}

std::optional<int> CommandLine::run(std::vector<std::string> words, std::span<const RenamedOption> renamed) {
    for (const std::string& notice : use_new_names(words, renamed)) std::fprintf(stderr, "snapviewer: %s\n", notice.c_str());
    if (const std::string mistake = words.empty() ? "" : mistyped_command(words.front(), command_names(*app_));
        !mistake.empty())
        return refuse_usage(mistake);
    std::ranges::reverse(words);  // CLI11 expects the words in reverse order
    try {
        app_->parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app_->exit(error) : refuse_usage(error.what());
    }
    return app_->get_subcommands().empty() ? std::nullopt : std::optional(status_);
}

namespace {

constexpr std::size_t k_max_time_limit_s = 1'000'000;

}  // namespace

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
    constexpr double k_max_bytes = 1e18;
    const std::optional<double> bytes = parse_byte_size(text);
    if (!bytes || *bytes < 1 || *bytes > k_max_bytes) return std::nullopt;
    return static_cast<std::uint64_t>(*bytes);
}

std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text) {
    return text == "0" ? std::uint64_t{0} : parse_bytes(text);
}

std::optional<double> parse_percent(const std::string& text) {
    constexpr double k_max_percent = 1000;
    if (!text.ends_with('%')) return std::nullopt;
    const auto number = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
    const bool is_in_bounds = number && *number >= 0 && *number <= k_max_percent;
    return is_in_bounds ? number : std::nullopt;
}

std::optional<double> parse_share(const std::string& text) { return parse_percent(text.ends_with('%') ? text : text + "%"); }

std::optional<std::chrono::seconds> parse_duration(const std::string& text) {
    constexpr std::int64_t k_max = 1'000'000;
    std::chrono::seconds unit{1};
    if (text.ends_with('h')) unit = std::chrono::hours(1);
    if (text.ends_with('m')) unit = std::chrono::minutes(1);
    const bool has_unit = text.ends_with('h') || text.ends_with('m') || text.ends_with('s');
    const auto number = parse_number<std::int64_t>(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)));
    if (!number || *number < 0 || *number > k_max || (!has_unit && *number != 0)) return std::nullopt;
    return *number * unit;
}

std::optional<std::int64_t> parse_event(const std::string& text) {
    const auto event = parse_number<std::int64_t>(text);
    return event && *event >= -1 ? event : std::nullopt;
}

std::string is_bytes(const std::string& text) {
    if (parse_bytes(text)) return "";
    return "'" + text + "' is not a number of bytes, such as 85899345920 or 80GiB";
}

std::string is_bytes_or_none(const std::string& text) { return parse_bytes_or_none(text) ? "" : is_bytes(text); }

std::string is_share(const std::string& text) {
    if (parse_share(text)) return "";
    return "'" + text + "' is not a percentage, such as 20%";
}

std::string is_tolerance(const std::string& text) {
    if (parse_percent(text) || parse_bytes_or_none(text)) return "";
    return "'" + text + "' is neither a number of bytes nor a percentage, such as 100MiB or 2%";
}

std::string is_event(const std::string& text) {
    if (parse_event(text)) return "";
    return "'" + text + "' is not an event number: expected 0 or more, or -1 for before the first event";
}

std::string is_row_limit(const std::string& text) {
    if (parse_number<std::size_t>(text)) return "";
    return "'" + text + "' is not a number of rows: expected 1 or more, or 0 for every row";
}

std::string is_duration(const std::string& text) {
    if (parse_duration(text)) return "";
    return "'" + text + "' is not a time, such as 8h, 30m or 90s";
}

std::string is_time_limit(const std::string& text) {
    const auto seconds = parse_number<std::size_t>(text);
    if (seconds && *seconds <= k_max_time_limit_s) return "";
    return "'" + text + "' is not a number of seconds: expected 1 to 1000000, or 0 for no limit";
}

void add_job_log(Arguments& arguments, std::string& into) {
    arguments.value("--log", into, "The job's log, for PyTorch's out-of-memory error: who else used the card",
                    {.type_name = "FILE"});
}

std::uint32_t part_of(const std::optional<std::size_t>& part) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(part.value_or(1), std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace snapviewer::cli
