#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer {

inline constexpr std::uint64_t k_unlimited_bytes = std::uint64_t{1} << 62;

/// The settings of PyTorch's caching allocator that affect requests. The names and rules are those of
/// c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.cpp.
struct AllocatorSettings {
    bool expandable = false;
    std::uint64_t max_split = k_unlimited_bytes;  ///< Blocks with at least this many bytes are never split
    std::uint64_t non_split_rounding = k_large_segment_bytes;
    std::uint64_t large_segment = k_large_segment_bytes;
    SizeDivisions roundup{};
    double gc_threshold = 0;
    std::uint64_t capacity = 0;  ///< Maximum of the reserved memory in bytes; 0 means unlimited
    std::uint64_t padding = 0;   ///< Bytes that are added to every request: 32 for torch_npu, otherwise 0
    /// Alignment in bytes of large blocks in expandable segments: set for torch_npu, otherwise 0
    std::uint64_t alignment = 0;
    /// Turns expandable segments on and off at the events where the recording shows a switch. Not a setting of PyTorch.
    bool follows_switches = true;

    bool operator==(const AllocatorSettings&) const = default;

    /// Size of the block for a request, in bytes.
    std::uint64_t rounded(std::uint64_t requested_bytes) const {
        return block_bytes_for(requested_bytes + padding, roundup);
    }
    /// Size of a new segment for a block of this size, without expandable segments, in bytes.
    std::uint64_t segment_bytes(std::uint64_t block_bytes) const { return segment_bytes_for(block_bytes, large_segment); }
};

/// Changes a setting by the name and value that users of PyTorch write, as in change_setting(settings, "max_split_size_mb",
/// "512"). The error describes the valid names and values.
Status change_setting(AllocatorSettings& settings, std::string_view name, const std::string& value);

/// The settings in force during the recording, as the file states them. Settings that the file omits are inferred from its
/// segments and events.
AllocatorSettings recorded_allocator_settings(const Snapshot& snapshot, const DeviceTrace& trace);

}  // namespace snapviewer
