#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

inline constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t k_gib = std::uint64_t{1} << 30;

/// Returns an allocator setting as a number, or `otherwise` if it is missing or not a number.
double setting_number(const Snapshot& snapshot, std::string_view name, double otherwise);

/// Returns true if expandable segments are on for a device: according to the settings, according to the text of
/// PYTORCH_CUDA_ALLOC_CONF, or because the device has expandable segments or events about them. O(segments + events).
bool has_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace);

/// How PyTorch's caching allocators round a request and split a free block for it. The constants are those of
/// c10/cuda/CUDACachingAllocator.cpp. torch_npu adds 32 bytes to every request; the blocks of the snapshot show whether this
/// is the case.
class AllocatorRules {
public:
    explicit AllocatorRules(const Snapshot& snapshot);

    /// Returns the size of the block for a request if the block fits exactly, in bytes.
    std::uint64_t rounded(std::uint64_t requested_bytes) const;
    /// Returns true if the remaining `rest_bytes` of a free block stay part of the allocated block instead of becoming a
    /// free block of their own.
    bool keeps_rest(std::uint64_t block_bytes, std::uint64_t rest_bytes, bool is_small, bool is_expandable) const;
    /// Bytes that the allocator adds to every request before it rounds the size.
    std::uint64_t padding_bytes() const { return padding_bytes_; }
    /// Returns the bytes that the allocator would request from the driver to serve a request.
    static std::uint64_t driver_bytes(std::uint64_t requested_bytes);
    /// Rounds up to a multiple of 512 bytes, and to at least 512.
    static std::uint64_t round_512(std::uint64_t bytes);

private:
    std::map<std::uint64_t, std::uint64_t> divisions_;  ///< Setting roundup_power2_divisions: MiB -> divisions
    std::uint64_t max_split_bytes_ = 0;                 ///< Setting max_split_size in bytes; 0 means no limit
    std::uint64_t padding_bytes_ = 0;
};

inline constexpr std::uint64_t k_unlimited_bytes = std::uint64_t{1} << 62;
inline constexpr std::uint64_t k_least_block_bytes = 512;  ///< Smallest block (PyTorch's kMinBlockSize)
/// Largest block of the small pool (PyTorch's kSmallSize)
inline constexpr std::uint64_t k_small_limit_bytes = std::uint64_t{1} << 20;
/// Segment of the small pool (PyTorch's kSmallBuffer)
inline constexpr std::uint64_t k_small_segment_bytes = std::uint64_t{2} << 20;
/// Segment for blocks below 10 MiB (PyTorch's kLargeBuffer)
inline constexpr std::uint64_t k_large_segment_bytes = std::uint64_t{20} << 20;
/// Unit of the size of larger segments (PyTorch's kRoundLarge)
inline constexpr std::uint64_t k_large_round_bytes = std::uint64_t{2} << 20;
/// Number of size intervals of roundup_power2_divisions: 1 MiB, 2 MiB, ... 32 GiB and more
inline constexpr std::size_t k_size_intervals = 16;

/// Rounds up to a multiple of `step`.
constexpr std::uint64_t round_up_to(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

/// The settings of PyTorch's caching allocator that affect requests. The names and rules are those of
/// c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.cpp.
struct AllocatorSettings {
    bool expandable = false;
    std::uint64_t max_split = k_unlimited_bytes;  ///< Blocks with at least this many bytes are never split
    std::uint64_t non_split_rounding = k_large_segment_bytes;
    std::uint64_t large_segment = k_large_segment_bytes;
    std::array<std::uint32_t, k_size_intervals> roundup{};
    double gc_threshold = 0;
    std::uint64_t capacity = 0;  ///< Maximum of the reserved memory in bytes; 0 means unlimited
    std::uint64_t padding = 0;   ///< Bytes that are added to every request: 32 for torch_npu, otherwise 0
    /// Alignment in bytes of large blocks in expandable segments: set for torch_npu, otherwise 0
    std::uint64_t alignment = 0;
    /// Turns expandable segments on and off at the events where the recording shows a switch. Not a setting of PyTorch.
    bool follows_switches = true;

    bool operator==(const AllocatorSettings&) const = default;

    /// Size of the block for a request, in bytes.
    std::uint64_t rounded(std::uint64_t requested_bytes) const;
    /// Size of a new segment for a block of this size, without expandable segments, in bytes.
    std::uint64_t segment_bytes(std::uint64_t block_bytes) const;
};

/// The setting names that change_setting() accepts, such as "expandable_segments" and "max_split_size_mb".
std::vector<std::string> allocator_setting_names();

/// Changes a setting by the name and value that users of PyTorch write, as in change_setting(settings, "max_split_size_mb",
/// "512"). The error describes the valid values.
Status change_setting(AllocatorSettings& settings, std::string_view name, const std::string& value);

/// The settings in force during the recording, as the file states them. Settings that the file omits are inferred from its
/// segments and events.
AllocatorSettings recorded_allocator_settings(const Snapshot& snapshot, const DeviceTrace& trace);

}  // namespace snapviewer
