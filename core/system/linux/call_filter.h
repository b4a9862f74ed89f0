#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace snapviewer {

/// The changes of named files that a filter of system calls allows a thread. Unnamed temporary files (ScratchFile) and open
/// descriptors are always usable.
enum class FileChanges : std::uint8_t {
    none,       ///< no changes: the thread only reads
    new_files,  ///< creation of files and folders; Landlock restricts the folders
    any,        ///< creation, changes, renaming and removal; Landlock restricts the folders
};

/// Whether a filter allows a thread to create machine code and load libraries, as graphics drivers do.
enum class NewCode : std::uint8_t { refused, allowed };

/// The reaction of a filter to a call that its list does not contain.
enum class CallRefusal : std::uint8_t {
    error,     ///< the call fails with EPERM
    reported,  ///< the kernel raises SIGSYS, and report_refused_calls() makes the call fail with EPERM
};

/// Compiles the filter program that the kernel runs at each system call. Returns 0 or an errno; needs two free file
/// descriptors. Takes some milliseconds.
///
/// Threads that only read (`changes` is not `any` and `new_code` is refused) run under an allow-list. Calls that the list
/// does not contain fail with EPERM. Threads that write or draw run under a deny-list, because drivers and exporters use
/// calls that no allow-list can foresee. The deny-list contains other programs, the network, other processes, shared memory,
/// locks, terminals, and everything that only administrators do. In both, clone3(), openat2() and calls that are newer than
/// this list fail with ENOSYS, so that the C library falls back to older calls.
int compile_call_filter(FileChanges changes, NewCode new_code, CallRefusal refusal, std::vector<sock_filter>& program);

/// Installs a filter from compile_call_filter() for the calling thread and for all threads that it starts later. It cannot
/// be removed. Returns 0 or an errno. The program is compiled once per process and kind.
int filter_system_calls(FileChanges changes, NewCode new_code, CallRefusal refusal);

}  // namespace snapviewer
