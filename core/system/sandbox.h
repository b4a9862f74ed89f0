#pragma once

#include <string>
#include <vector>

namespace snapviewer {

/// What work on a stranger's file needs beyond reading, thinking and temporary files.
struct SandboxNeeds {
    /// Paths that are to be written; the folder of each, or it itself if it is one already, stays writable. Empty ones do
    /// not count.
    std::vector<std::string> outputs = {};
    /// A folder in which new files may be made, see crash_folder(); where it is not there, it itself may be made in the
    /// folder above. Empty, or if that is not there either, for none.
    std::string report_folder = {};
    /// Drivers of graphics cards make machine code, and write to their devices.
    bool draws = false;
};

/// What the kernel holds the calling thread to.
struct Sandbox {
    bool filters_calls = false;  ///< no other programs, no network: seccomp
    bool guards_files = false;   ///< files changed only where they may be: Landlock
    std::string why_not = {};    ///< one sentence where one of them is off

    bool was_refused = false;  ///< it was tried, and the kernel granted less than all

    bool is_whole() const { return filters_calls && guards_files; }
    /// "on", "partly on: ..." or "off: ...".
    std::string text() const;
    /// The same, and what it means that something is off.
    std::string note() const;
};

/// Has the kernel keep the calling thread, and all that it starts from now on, from what a viewer never does: starting
/// programs, opening connections, changing files elsewhere than `needs` and the folder for temporary files. For good.
/// Whoever finds a mistake in how a file is read has these walls still before him.
///
/// Two of the kernel's means, because each knows what the other cannot see: a filter of system calls
/// (core/system/linux/call_filter.h) knows nothing of paths, and Landlock nothing of most calls. Where one is missing the
/// other is still used, and the filter alone refuses every change of a file where there are no outputs. Nothing is refused
/// to reading: what is read can leave only by stdout and by the outputs.
///
/// A command calls it before anything else has been started, so that it holds for the whole process. In the window it holds
/// for one thread, which is sound as far as it goes: the thread's own calls are refused and it cannot give them back their
/// right, but it shares its memory with threads that have it. Takes some 200 us, and 3 ms once a process.
Sandbox enter_sandbox(const SandboxNeeds& needs);

}  // namespace snapviewer
