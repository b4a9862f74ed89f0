#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

/// Files without a name, which lie in the program's own memory. Those of the browser would, too, but every call of a thread
/// waits there for the page's own thread. Any thread.
namespace snapviewer {

/// The number of a handle for a new one.
std::intptr_t create_memory_file();
bool is_memory_file(std::intptr_t number);
/// Another handle of the same file; the file goes with the last one.
std::intptr_t open_memory_file_again(std::intptr_t number);
void close_memory_file(std::intptr_t number);

std::uint64_t size_of_memory_file(std::intptr_t number);
/// As read_at() of core/system/files.h, and the others likewise.
std::size_t read_memory_file(std::intptr_t number, std::span<std::byte> bytes, std::uint64_t offset_bytes);
std::error_code write_memory_file(std::intptr_t number, std::span<const std::byte> bytes, std::uint64_t offset_bytes);
std::error_code resize_memory_file(std::intptr_t number, std::uint64_t size_bytes);

}  // namespace snapviewer
