#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace snapviewer {

/// The actions recorded by note_action(), for crash handlers: preallocated and without a lock. An action that is being
/// recorded at the moment of a crash may come out garbled.
struct LastActions {
    std::array<std::array<char, 160>, 32> texts{};  ///< ring buffer
    std::size_t count = 0;                          ///< number of actions recorded since the start

    /// Number of the oldest recorded action; the recorded ones are [first(), count).
    std::size_t first() const { return count > texts.size() ? count - texts.size() : 0; }
    const char* text(std::size_t number) const { return texts[number % texts.size()].data(); }
};
LastActions& last_actions();

/// Writes the section of a crash report about the last actions by calling `put` with consecutive texts.
template <typename Put>
void put_last_actions(Put put) {
    put("\n\nlast commands, the newest last:\n");
    const LastActions& last = last_actions();
    for (std::size_t i = last.first(); i < last.count; ++i) {
        put("  ");
        put(last.text(i));
        put("\n");
    }
}

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
