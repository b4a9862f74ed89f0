#pragma once

#include <cstddef>
#include <span>

namespace snapviewer {

/// Keeps the program alive if a mapped file is truncated. The system then answers a read with SIGBUS, and the guard's
/// handler replaces the missing pages by zeros. Thread-safe.
struct MappingGuard;

/// Guards a mapping until release_guard() is called. Call it before the mapping is read, and release the guard before the
/// mapping is unmapped. The first call installs the handler for SIGBUS. Other SIGBUS signals go to the previous handler.
MappingGuard* guard_mapping(std::span<const std::byte> mapping);
void release_guard(MappingGuard& guard);

/// True if zeros were read in place of bytes that the file has lost.
bool has_lost_pages(const MappingGuard& guard);

}  // namespace snapviewer
