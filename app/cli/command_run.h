#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/kinds/kinds.h"
#include "core/base/context.h"
#include "core/base/result.h"
#include "core/document/document.h"
#include "core/system/sandbox.h"

namespace snapviewer::cli {

// Exit statuses.
inline constexpr int k_done = 0;
inline constexpr int k_at_fault = 1;
inline constexpr int k_wrong_usage = 2;
inline constexpr int k_environment = 3;

enum class CutOffSaid : std::uint8_t { on_stderr, in_the_answer };

/// A command that works on one file, without a window, in a sandbox (core/system/sandbox.h).
class CommandRun {
public:
    /// `others` are further files that the command reads; empty paths are ignored.
    explicit CommandRun(std::string path, SandboxNeeds needs = {}, std::vector<std::string> others = {});
    /// Creates a session for a second file of the same command. Both share one budget, so that together they use no more
    /// memory than one.
    CommandRun(std::string path, const CommandRun& first);
    ~CommandRun();
    CommandRun(const CommandRun&) = delete;
    CommandRun& operator=(const CommandRun&) = delete;

    const Sandbox& sandbox() const { return sandbox_; }

    /// Opens the file. Returns null after an error, which has been reported; see status(). If the file is truncated, says so
    /// on stderr before any answer, unless the command's answer itself begins with it.
    const Document* open(OpenOptions options, CutOffSaid said = CutOffSaid::on_stderr);
    /// Opens the file without meshes and returns the analyses of one device: of the device with number `number`, or of the
    /// default device. Null after an error, which has been reported. Owned by this session.
    findings::DeviceAnalyses* open_analyses(std::optional<int> number);
    /// Returns the document that open() opened, or null before.
    const std::shared_ptr<const Document>& document() const { return document_; }
    Progress& progress() { return *progress_; }

    /// Opens the file and returns the index of one device; see require_device(). nullopt after an error, which has been
    /// reported.
    std::optional<std::size_t> open_device(OpenOptions options, std::optional<int> number);
    /// Returns the index of the device with number `number` in the file, or of the default device. nullopt after an error,
    /// which has been reported.
    std::optional<std::size_t> find_device(std::optional<int> number);
    /// Calls find_device(), and also reports an error if the file has no device. For commands that need a device.
    std::optional<std::size_t> require_device(std::optional<int> number);

    /// Returns the moment after the event with this `events.id`, as a number of events of the device. -1 means the moment
    /// before its first event. nullopt after an error, which has been reported: the event does not exist, or belongs to
    /// another device.
    std::optional<std::uint32_t> find_moment(std::size_t device_index, std::int64_t event_id);

    /// Prints "snapviewer: FILE: error" to stderr and returns the exit status. FILE is this session's file unless given.
    int report(const Error& error, const std::string& file = "");
    /// Prints an error as report() does, and returns the exit status of wrong usage.
    int refuse(const std::string& message, const std::string& file = "");
    /// Prints the file's losses and oddities to stderr, one line each.
    void report_import_log();
    /// Prints "snapviewer: FILE: text" to stderr.
    void note(const std::string& text);
    /// Writes a result to stdout and escapes control characters, so that a terminal shows it safely. Returns an exit status.
    int print(std::string_view text);
    /// Reports that stdout cannot be written. Returns the exit status.
    int report_no_output();

    /// Returns the exit status of the last reported error, otherwise k_done.
    int status() const { return status_; }

private:
    void say_first();

    std::string path_;
    Sandbox sandbox_;
    std::shared_ptr<Progress> progress_;
    std::shared_ptr<const Document> document_;
    int status_ = k_done;
    std::string unsaid_;  ///< Sentence that the file is truncated, until it has been printed
};

/// Describes the use of the card's memory, for each device about which the recorder or the job's log has figures. Safe to
/// print on a terminal.
Result<std::string> card_text(CommandRun& session);

/// Reads the user's own kind rules from a file of at most 1 MiB. Returns no rules for an empty path. The error does not
/// contain the file name. Must be called before a CommandRun is created, whose sandbox forbids opening other files.
Result<kinds::KindRules> read_rules_file(const std::string& path);

}  // namespace snapviewer::cli
