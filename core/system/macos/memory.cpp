#include "core/system/memory.h"

#include <mach/mach.h>
#include <malloc/malloc.h>
#include <sys/resource.h>

#include <limits>

namespace snapviewer {

/// Free pages, plus inactive and purgeable pages, which the system can reuse at once.
std::uint64_t available_memory_bytes() {
    vm_statistics64_data_t pages{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
        KERN_SUCCESS)
        return std::numeric_limits<std::uint64_t>::max();
    return (std::uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * page_bytes();
}

std::uint64_t held_memory_bytes() {
    task_vm_info_data_t info{};
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    const kern_return_t status = ::task_info(::mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count);
    return status == KERN_SUCCESS ? info.phys_footprint : 0;
}

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) : 0;  // bytes; KiB on Linux
}

void limit_memory_of_process(std::uint64_t /*bytes*/) {}

std::size_t allocated_bytes(void* block) { return ::malloc_size(block); }

bool make_resident(std::span<const std::byte> /*memory*/) { return false; }

void wish_for_large_pages(std::span<const std::byte> /*memory*/) {}

}  // namespace snapviewer
