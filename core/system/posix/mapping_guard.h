#pragma once

#include <cstddef>
#include <span>

namespace snapviewer {

/// Keeps the program alive where the file behind a mapping is cut short: the system then answers a read with SIGBUS, whose
/// handler puts zeros in the place of what is gone. Any thread.
struct MappingGuard;

/// From now on until release_guard(); before the mapping is read, and released before it is unmapped. Installs the handler
/// at the first call; a SIGBUS from elsewhere goes where it went before.
MappingGuard* guard_mapping(std::span<const std::byte> mapping);
void release_guard(MappingGuard& guard);

/// Whether zeros were read in the place of what the file had.
bool has_lost_pages(const MappingGuard& guard);

}  // namespace snapviewer
