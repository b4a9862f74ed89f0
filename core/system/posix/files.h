#pragma once

#include <fcntl.h>

#include <cerrno>
#include <span>
#include <string>
#include <system_error>

#include "core/system/files.h"

/// The file functions of core/system/files.h for plain file descriptors. In a browser, some handles are not descriptors.
namespace snapviewer {

inline constexpr int k_open_to_read = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;  ///< flags for opening without blocking

/// Wraps the result of a call that opens a descriptor, and sets `failed` from errno if it is negative.
FileHandle opened_descriptor(int descriptor, std::error_code& failed);
FileHandle open_descriptor(const std::string& path, SymbolicLinks links, std::error_code& failed);
std::optional<FileState> state_of_descriptor(int descriptor, std::error_code& failed);
std::size_t read_descriptor_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                               std::error_code& failed);
std::error_code write_descriptor_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset_bytes);
std::error_code resize_descriptor(int descriptor, std::uint64_t size_bytes);

/// The file descriptor of a handle.
inline int descriptor_of(const FileHandle& file) { return static_cast<int>(file.number()); }

/// The error of the last system call (errno).
inline std::error_code last_error() { return {errno, std::system_category()}; }

// Creates descriptors that child processes do not inherit. If the system supports it, they are created with that flag, so
// that a program that another thread starts at the same time does not inherit them either. Results are those of pipe(),
// socket() and accept().
bool open_pipe(int (&ends)[2]);
/// Creates a non-blocking TCP socket.
int open_tcp_socket();
int accept_tcp_socket(int listener);

}  // namespace snapviewer
