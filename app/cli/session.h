#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/analyses.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/document/document.h"
#include "core/system/sandbox.h"

namespace snapviewer {

// Exit statuses.
inline constexpr int k_done = 0;
inline constexpr int k_at_fault = 1;
inline constexpr int k_wrong_usage = 2;
inline constexpr int k_environment = 3;

enum class CutOffSaid : std::uint8_t { on_stderr, in_the_answer };

/// One command at work on one file, without a window, in a sandbox: see core/system/sandbox.h.
class Session {
public:
    explicit Session(std::string path, SandboxNeeds needs = {});
    /// A second file of the same command. Both share one budget, so that together they take no more memory than one.
    Session(std::string path, const Session& first);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const Sandbox& sandbox() const { return sandbox_; }

    /// Null after an error, which has been reported; see status(). That a file is cut off is said before any answer, on
    /// stderr unless the command's answer begins with it.
    const Document* open(OpenOptions options, CutOffSaid said = CutOffSaid::on_stderr);
    /// Opens without a picture, for the commands that answer from the analyses of one device: the one with that number, or
    /// the default one. Null after an error, which has been reported. Belongs to this session.
    DeviceAnalyses* open_analyses(std::optional<int> number);
    /// The document that open() opened; null before.
    const std::shared_ptr<const Document>& document() const { return document_; }
    Progress& progress() { return *progress_; }

    /// Index of the device with that number in the file, or the default one; none after an error, which has been reported.
    std::optional<std::size_t> find_device(std::optional<int> number);
    /// The device as in find_device(), for commands that need one.
    std::optional<std::size_t> require_device(std::optional<int> number);

    /// The moment after the event with this `events.id`, as a number of events of the device. -1 is the moment before its
    /// first event. nullopt after an error, which has been reported: the event does not exist, or belongs to another device.
    std::optional<std::uint32_t> find_moment(std::size_t device_index, std::int64_t event_id);

    /// Prints "snapviewer: FILE: error" to stderr and returns the exit status. FILE is this session's file unless given.
    int report(const Error& error, const std::string& file = "");
    /// Prints the file's losses and oddities to stderr, one line each.
    void report_import_log();
    /// "snapviewer: FILE: what else there is to know" on stderr.
    void note(const std::string& text);
    /// Writes a result for people to stdout, harmless on a terminal. Returns the status of having done so.
    int print(std::string_view text);
    /// The status where stdout could not be written, which is reported.
    int report_no_output();

    /// Status of the last error reported, otherwise k_done.
    int status() const { return status_; }

private:
    void say_first();

    std::string path_;
    Sandbox sandbox_;
    std::shared_ptr<Progress> progress_;
    std::shared_ptr<const Document> document_;
    int status_ = k_done;
    std::string unsaid_;  ///< that the file is cut off, until something else is said
};

/// Describes the use of the card's memory, for each device about which the recorder or the job's log has figures. Safe to
/// print on a terminal.
Result<std::string> card_text(Session& session);

}  // namespace snapviewer
