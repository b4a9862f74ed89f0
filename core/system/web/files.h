#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

/// Unnamed files in the program's own memory. The browser's file system is in memory too, but there every call of a thread
/// waits for the page's main thread. Thread-safe.
namespace snapviewer {

/// Creates an empty file and returns the number of its handle.
std::intptr_t create_memory_file();
bool is_memory_file(std::intptr_t number);
/// Returns the number of another handle to the same file. The file is freed with its last handle.
std::intptr_t open_memory_file_again(std::intptr_t number);
void close_memory_file(std::intptr_t number);

std::uint64_t size_of_memory_file(std::intptr_t number);
/// The following functions work like read_at(), write_at() and resize_file() of core/system/files.h.
std::size_t read_memory_file(std::intptr_t number, std::span<std::byte> bytes, std::uint64_t offset_bytes);
std::error_code write_memory_file(std::intptr_t number, std::span<const std::byte> bytes, std::uint64_t offset_bytes);
std::error_code resize_memory_file(std::intptr_t number, std::uint64_t size_bytes);

}  // namespace snapviewer
