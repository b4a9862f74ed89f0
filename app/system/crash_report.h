#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace snapviewer {

/// Reports of crashes stay on this machine, in this folder below state_folder(). Empty where there is none.
std::filesystem::path crash_folder();

/// Remembers what was done last, for a report; only the beginning of a long text. Any thread.
void note_action(std::string_view action);

/// From now on a signal that ends the program because it did something wrong (SIGSEGV and the like) first writes which one
/// it was, the last actions and a backtrace to stderr and into a new file in `folder`, which is made then if need be.
/// Nothing is written otherwise. Once, before other threads start. Does nothing in a build with sanitizers, which report
/// better.
void report_crashes(const std::filesystem::path& folder);

/// How the name of a report ends that no run of the program has spoken of yet.
inline constexpr std::string_view k_new_report_ending = ".new.txt";
/// The newest report in `folder` that no run of the program has spoken of yet, if there is one. None of those there is given
/// again; all but the newest few are removed.
std::optional<std::filesystem::path> take_crash_report(const std::filesystem::path& folder);

}  // namespace snapviewer
