#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace snapviewer::cli {

/// An option or a command that has been renamed. The old name works until the next major version, and stderr shows the new
/// one; docs/compatibility.md promises this.
struct RenamedOption {
    const char* command;   ///< Command of the option; empty for an option of every command, and for a command itself
    const char* old_name;  ///< Old name: "--write", or "fleets" for a command
    const char* new_name;
    const char* since;  ///< Version that renamed it, such as "1.2"
};

/// Returns all renamed options and commands.
std::span<const RenamedOption> renamed_options();

/// Replaces old names with new ones, in "--old VALUE" and "--old=VALUE", up to the word "--". Returns one sentence per
/// replacement.
std::vector<std::string> use_new_names(std::vector<std::string>& words, std::span<const RenamedOption> renamed);

}  // namespace snapviewer::cli

namespace CLI {
class App;
}

namespace snapviewer::cli {

/// Requirements for a value on the command line, and its presentation.
struct ValueForm {
    bool required = false;
    /// Name of the value in --help; if empty, --help names its type.
    std::string type_name = {};
    /// The allowed values; if empty, any value is allowed.
    std::vector<std::string> one_of = {};
    /// Returns an error text for a wrong value, else ""; may be null.
    std::string (*check)(const std::string&) = nullptr;
    /// True for a file to read. "-" then means standard input, which a command line can name only once.
    bool is_file = false;
};

/// The options of one command. Each call adds an option ("--out") or a positional argument ("FILE") and names the variable
/// that receives its value. The variable must outlive CommandLine::run().
class Arguments {
public:
    explicit Arguments(CLI::App& app) : app_(&app) {}

    /// `Value` is a string, an optional int or std::size_t, or a vector of strings, for an option or argument that may be
    /// given any number of times.
    template <typename Value>
    Arguments& value(const char* name, Value& into, const char* about, const ValueForm& form = {});
    Arguments& flag(const char* name, bool& into, const char* about);

private:
    CLI::App* app_;
};

/// The command line of a program. A single description serves for parsing, checking and --help.
///
///     CommandLine line("A viewer", "snapviewer", "snapviewer 1.0");
///     line.command("info", "Say what a file holds", [&] { return run_info(file); }).value("FILE", file, "The snapshot");
///     if (const auto status = line.run(words)) return *status;
///
/// Implemented with CLI11. Only arguments.cpp includes it, because compiling its headers takes seconds.
class CommandLine {
public:
    CommandLine(const char* about, const char* name, std::function<std::string()> version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// Returns the options that precede any command.
    Arguments arguments();
    /// Adds a command. `run` executes it and returns its exit status.
    Arguments command(const char* name, const char* about, std::function<int()> run);

    /// Parses the command line, without the program's own name, and runs its command. Returns the exit status of the
    /// command, of --help, or of a usage error, which it prints to stderr; nullopt if the line names no command. Accepts old
    /// names and prints the new name to stderr.
    std::optional<int> run(std::vector<std::string> words, std::span<const RenamedOption> renamed = renamed_options());

private:
    std::unique_ptr<CLI::App> app_;
    int status_;
};

/// Help text of --safe-csv, shared by several commands.
inline constexpr const char* k_safe_csv_about =
    "In CSV, put an apostrophe before texts that a spreadsheet would take for a formula: those that begin with = + - @, a "
    "tab or a line break";

/// Adds --log, which names the job's log. Shared by the commands that show who uses the card's memory.
void add_job_log(Arguments& arguments, std::string& into);
/// Converts the value of --part for OpenOptions::part.
std::uint32_t part_of(const std::optional<std::size_t>& part);

/// Parses a size: "80GiB" or "80G" in powers of 1024, "80GB" in powers of 1000, or plain bytes. Returns nullopt for any
/// other form and for values below 1 or above 1e18.
std::optional<std::uint64_t> parse_bytes(const std::string& text);
/// Parses a size as parse_bytes() does, or 0.
std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text);
/// Parses a percentage such as "20%", from 0 to 1000.
std::optional<double> parse_percent(const std::string& text);
/// Parses a percentage as parse_percent() does; the percent sign may be missing.
std::optional<double> parse_share(const std::string& text);
/// Parses a duration such as "8h", "30m" or "90s", or 0.
std::optional<std::chrono::seconds> parse_duration(const std::string& text);
/// Parses an events.id, or -1 for the moment before the first event.
std::optional<std::int64_t> parse_event(const std::string& text);

/// Checks for ValueForm::check. Each returns an error text for a wrong value, otherwise "".
std::string is_bytes(const std::string& text);
std::string is_bytes_or_none(const std::string& text);
std::string is_share(const std::string& text);
/// Accepts a number of bytes, or a percentage with a percent sign.
std::string is_tolerance(const std::string& text);
std::string is_event(const std::string& text);
std::string is_row_limit(const std::string& text);
std::string is_time_limit(const std::string& text);
std::string is_duration(const std::string& text);

}  // namespace snapviewer::cli
