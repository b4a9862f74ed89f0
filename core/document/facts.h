#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/document/document.h"

namespace snapviewer {

/// Distinct stacks that the events and allocations of a device refer to. O(events + allocations).
std::uint64_t count_stacks(const Snapshot& snapshot, const DeviceTrace& trace);

/// Every time that memory ran out on a device, in order. O(events + such times * live allocations) where the document was
/// opened without pictures, else it only copies.
std::vector<Marker> oom_markers(const Document& document, std::size_t device_index);

/// What a file holds, for scripts: what `info --json` says of it, less what opening it cost. Texts may be anything but
/// UTF-8.
nlohmann::ordered_json document_facts(const Document& document);

}  // namespace snapviewer
