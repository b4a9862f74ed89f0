#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// The memory of this process and of the machine. Any thread.
namespace snapviewer {

/// What the system gives and takes memory in: 4096, on some processors 16384 or 65536.
std::size_t page_bytes();

/// How much more memory this process may take before the system ends it or begins to swap: what the system calls available,
/// or less where a control group or a limit of the process says so. The largest number where it is unknown. Some ten
/// microseconds.
std::uint64_t available_memory_bytes();

/// What this process holds of its own now; mapped files do not count. 0 where it is unknown. Microseconds.
std::uint64_t held_memory_bytes();

/// The most physical memory this process has had so far; 0 where the system does not tell.
std::uint64_t peak_memory_bytes();

/// How many bytes the memory manager gave for a block of malloc(): what was asked for, or a little more. Nanoseconds.
std::size_t allocated_bytes(void* block);

/// Has all pages that have a part in it put in their place, as if they were written; what they hold stays as it is. False if
/// the system cannot.
bool make_resident(std::span<const std::byte> memory);

/// Asks for large pages where the memory has room for such; a system that has none goes on without.
void wish_for_large_pages(std::span<const std::byte> memory);

}  // namespace snapviewer
