#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

inline constexpr std::uint64_t k_unlimited_bytes = std::uint64_t{1} << 62;
inline constexpr std::uint64_t k_least_block_bytes = 512;                        ///< kMinBlockSize
inline constexpr std::uint64_t k_small_limit_bytes = std::uint64_t{1} << 20;     ///< kSmallSize: up to this, the small pool
inline constexpr std::uint64_t k_small_segment_bytes = std::uint64_t{2} << 20;   ///< kSmallBuffer
inline constexpr std::uint64_t k_large_segment_bytes = std::uint64_t{20} << 20;  ///< kLargeBuffer
inline constexpr std::uint64_t k_large_round_bytes = std::uint64_t{2} << 20;     ///< kRoundLarge
inline constexpr std::size_t k_size_intervals = 16;  ///< of roundup_power2_divisions: 1 MiB, 2 MiB, ... 32 GiB and more

/// To a multiple of `step`.
constexpr std::uint64_t round_up_to(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

/// What decides how PyTorch's caching allocator serves requests. The names and rules are those of
/// c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.cpp.
struct AllocatorSettings {
    bool expandable = false;
    std::uint64_t max_split = k_unlimited_bytes;  ///< blocks of as many bytes or more are never split
    std::uint64_t non_split_rounding = k_large_segment_bytes;
    std::uint64_t large_segment = k_large_segment_bytes;
    std::array<std::uint32_t, k_size_intervals> roundup{};
    double gc_threshold = 0;
    std::uint64_t capacity = 0;   ///< bytes that may be reserved; 0: without limit
    std::uint64_t padding = 0;    ///< torch_npu adds 32 bytes to every request
    std::uint64_t alignment = 0;  ///< torch_npu aligns large blocks in expandable segments
    /// Expandable segments are on and off where the recording shows that; no setting of PyTorch's.
    bool follows_switches = true;

    bool operator==(const AllocatorSettings&) const = default;

    /// Bytes of the block for a request.
    std::uint64_t rounded(std::uint64_t requested_bytes) const;
    /// Bytes of a new segment for a block of this size, without expandable segments.
    std::uint64_t segment_bytes(std::uint64_t block_bytes) const;
};

/// "expandable_segments", "max_split_size_mb" and the other names that change_setting() knows.
std::vector<std::string> allocator_setting_names();

/// Sets what users of PyTorch set, by name: change_setting(settings, "max_split_size_mb", "512"). The error says what the
/// value may be.
Status change_setting(AllocatorSettings& settings, std::string_view name, const std::string& value);

/// What the file says was in force, or what its segments and events show where it says nothing.
AllocatorSettings recorded_allocator_settings(const Snapshot& snapshot, const DeviceTrace& trace);

}  // namespace snapviewer
