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

/// What a value on the command line has to be.
struct ValueForm {
    bool required = false;
    /// What --help calls the value; empty: by its type.
    std::string type_name = {};
    /// The only values there are; empty: any.
    std::vector<std::string> one_of = {};
    /// Says what is wrong with a value, or nothing.
    std::string (*check)(const std::string&) = nullptr;
    /// A file to read: "-" stands for standard input, which can be only one of a command's.
    bool is_file = false;
    /// Not shown by --help.
    bool hidden = false;
};

/// The options of one command. Each call names an option ("--out") or a place ("FILE") and the variable its value goes to,
/// which has to outlive the reading.
class Arguments {
public:
    explicit Arguments(CLI::App& app) : app_(&app) {}

    Arguments& value(const char* name, std::string& into, const char* about, const ValueForm& form = {});
    Arguments& value(const char* name, std::optional<int>& into, const char* about, const ValueForm& form = {});
    Arguments& value(const char* name, std::optional<std::size_t>& into, const char* about, const ValueForm& form = {});
    /// Any number of them.
    Arguments& values(const char* name, std::vector<std::string>& into, const char* about, const ValueForm& form = {});
    Arguments& flag(const char* name, bool& into, const char* about);

private:
    CLI::App* app_;
};

/// All a command line may hold, described once: by this it is read, checked and explained.
///
///     CommandLine line("A viewer", "snapviewer", "snapviewer 1.0");
///     line.command("info", "Say what a file holds", [&] { return run_info(file); }).value("FILE", file, "The snapshot");
///     if (const auto status = line.run(words)) return *status;
///
/// CLI11 does the work; it is included by arguments.cpp alone, because a compiler takes seconds to read it.
class CommandLine {
public:
    CommandLine(const char* about, const char* name, std::function<std::string()> version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// What stands before any command.
    Arguments arguments();
    /// Adds a command, which gives its exit status.
    Arguments command(const char* name, const char* about, std::function<int()> run);

    /// Reads the line, without the program's own name, and runs its command. The exit status of that, of --help or of a
    /// mistake, which is then on stderr; none if no command was named. An old name works, and stderr says what to write.
    std::optional<int> run(std::vector<std::string> words, std::span<const RenamedOption> renamed = renamed_options());

private:
    std::unique_ptr<CLI::App> app_;
    int status_;
};

}  // namespace snapviewer
