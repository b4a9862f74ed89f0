#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/renamed_options.h"

namespace CLI {
class App;
}

namespace snapviewer {

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
    /// True hides the option from --help.
    bool hidden = false;
};

/// The options of one command. Each call adds an option ("--out") or a positional argument ("FILE") and names the variable
/// that receives its value. The variable must outlive CommandLine::run().
class Arguments {
public:
    explicit Arguments(CLI::App& app) : app_(&app) {}

    Arguments& value(const char* name, std::string& into, const char* about, const ValueForm& form = {});
    Arguments& value(const char* name, std::optional<int>& into, const char* about, const ValueForm& form = {});
    Arguments& value(const char* name, std::optional<std::size_t>& into, const char* about, const ValueForm& form = {});
    /// Adds an option or argument that may be given any number of times.
    Arguments& values(const char* name, std::vector<std::string>& into, const char* about, const ValueForm& form = {});
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

}  // namespace snapviewer
