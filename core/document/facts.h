#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/document/document.h"

namespace snapviewer {

/// Counts the distinct stacks that the events and allocations of a device refer to. O(events + allocations).
std::uint64_t count_stacks(const Snapshot& snapshot, const DeviceTrace& trace);

/// Returns every out-of-memory event of a device, in order. O(events + out-of-memory events * live allocations) if the
/// document was opened without meshes; otherwise it only copies.
std::vector<Marker> oom_markers(const Document& document, std::size_t device_index);

/// Returns a description of the file for scripts: the output of `info --json` without the cost of opening. Texts may contain
/// invalid UTF-8.
nlohmann::ordered_json document_facts(const Document& document);

}  // namespace snapviewer
