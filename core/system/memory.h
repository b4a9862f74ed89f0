#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The memory of this process and of the machine. Thread-safe.
namespace snapviewer {

/// Page size in bytes: 4096, or 16384 or 65536 on some processors.
std::size_t page_bytes();

/// The memory that this process can still allocate before the system ends it or begins to swap: the available memory of the
/// machine, or less if a control group or a process limit is lower. The maximum value if it is unknown. Takes some ten
/// microseconds.
std::uint64_t available_memory_bytes();

/// The private memory that this process uses now, without mapped files. 0 if it is unknown. Takes microseconds.
std::uint64_t held_memory_bytes();

/// The peak of this process's physical memory; 0 if it is unknown.
std::uint64_t peak_memory_bytes();

/// Has the kernel refuse this process more memory of its own than `bytes`: its heap and its stacks, but not files that it
/// maps. Cannot be undone. No-op on Windows and in a page.
void limit_memory_of_process(std::uint64_t bytes);

/// The usable size of a block from malloc(), which may be slightly larger than requested. Takes nanoseconds.
std::size_t allocated_bytes(void* block);

/// Pre-faults all pages that overlap `memory`, as if they had been written. Their contents do not change. False if the
/// system does not support it.
bool make_resident(std::span<const std::byte> memory);

/// Returns the offset of the first occurrence of `wanted` in `text`, or npos. O(text + wanted) for all inputs, which
/// std::string_view::find() does not guarantee.
std::size_t find_text(std::string_view text, std::string_view wanted);

}  // namespace snapviewer
