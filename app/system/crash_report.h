#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace snapviewer {

/// Folder for crash reports, below state_folder(); empty if that is unknown. Reports never leave this machine.
std::filesystem::path crash_folder();

/// Records an action for crash reports; only the beginning of a long text is kept. Any thread.
void note_action(std::string_view action);

/// Installs handlers for fatal signals such as SIGSEGV. They write the signal, the last actions and a backtrace to stderr
/// and to a new file in `folder`, which is created if necessary; without a crash nothing is written. Call this once, before
/// other threads start. No-op in builds with sanitizers, whose reports are better.
void report_crashes(const std::filesystem::path& folder);

/// File name ending of crash reports that no later run has announced yet.
inline constexpr std::string_view k_new_report_ending = ".new.txt";
/// Returns the newest report in `folder` that was not announced yet, or nullopt. Marks all reports as announced and removes
/// all but the newest few.
std::optional<std::filesystem::path> take_crash_report(const std::filesystem::path& folder);

}  // namespace snapviewer
