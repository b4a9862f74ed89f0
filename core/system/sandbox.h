#pragma once

#include <string>
#include <vector>

namespace snapviewer {

/// The rights that a thread needs, besides reading files, computing and creating unnamed temporary files.
struct SandboxNeeds {
    /// Paths of output files. The folder of each one stays writable, or the path itself if it is a folder. Empty ones are
    /// ignored.
    std::vector<std::string> outputs = {};
    /// A folder in which new files may be created, see crash_folder(). If it does not exist, it may be created, unless its
    /// parent does not exist either. Empty for none.
    std::string report_folder = {};
    /// True if the thread uses graphics drivers, which create machine code and write to their devices.
    bool draws = false;
};

/// The restrictions that the kernel has applied to the calling thread.
struct Sandbox {
    bool filters_calls = false;  ///< true if seccomp refuses other programs and the network
    bool guards_files = false;   ///< true if Landlock restricts changes of files to the folders of the outputs
    std::string why_not = {};    ///< reason in one sentence if one of them is off

    bool was_refused = false;  ///< true if the kernel granted less than was requested

    bool is_whole() const { return filters_calls && guards_files; }
    /// The state as text: "on", "partly on: ..." or "off: ...".
    std::string text() const;
    /// text(), followed by the consequences if something is off.
    std::string note() const;
};

/// Restricts the calling thread, and all threads that it starts later, to what a viewer needs. A bug in a reader then cannot
/// start programs, open connections, or change files outside of the folders in `needs` and of unnamed temporary files. It
/// cannot be undone.
///
/// seccomp filters system calls (core/system/linux/call_filter.h) but cannot see paths; Landlock restricts paths and little
/// else. If the kernel lacks one, the other is still used. The filter alone refuses every change of a file if there are no
/// outputs. Reading is unrestricted, but what was read can leave only through stdout and the outputs. Root also loses all
/// capabilities except those to read and write files of other users.
///
/// Commands call it before they start any thread, so that it covers the process. In the window and in the library it covers
/// one thread, which shares its memory with unrestricted ones. Takes some 200 us, the first time 3 ms.
Sandbox enter_sandbox(const SandboxNeeds& needs);

/// Reports the number of the first refused system call on stderr, for sandboxes that are entered later by threads that only
/// read. Installs a handler for SIGSYS, so only a program calls it, never a library. SIGSYS must not be blocked.
void report_refused_calls();

}  // namespace snapviewer
