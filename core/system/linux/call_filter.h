#pragma once

#include <cstdint>

namespace snapviewer {

/// What a filter of system calls leaves a program to do with files by name. Files without a name (see ScratchFile) are
/// always possible, and so is everything with those that are open.
enum class FileChanges : std::uint8_t {
    none,       ///< reading
    new_files,  ///< making files and folders, nothing to files there are; elsewhere is said where
    any,        ///< making, changing, renaming and removing; elsewhere is said where
};

/// Whether machine code can be made at run time and libraries loaded, as drivers of graphics cards do.
enum class NewCode : std::uint8_t { refused, allowed };

/// Has the kernel refuse, for good, to the calling thread and all that it starts from now on: other programs (fork, exec),
/// the network and other sockets, signals to other processes, a look into them and a say in how they run, memory and queues
/// that are shared by number, typing into the terminal, everything that only administrators do, ways around such filters
/// (io_uring), and changes of files beyond `changes`. What is refused fails with EPERM, and what this list does not know
/// because it is newer with ENOSYS, as on an older kernel. Threads that run already are as they were. Gives 0 or an errno,
/// as the kernel did. The first filter of a kind takes some milliseconds to make, another one of it a tenth of one.
int filter_system_calls(FileChanges changes, NewCode new_code);

}  // namespace snapviewer
