#pragma once

#include <cstdint>

namespace snapviewer {

/// The most physical memory this process has had so far; 0 where the system does not tell.
std::uint64_t peak_memory_bytes();

}  // namespace snapviewer
