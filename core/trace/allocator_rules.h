#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/trace/snapshot.h"

/// How PyTorch's caching allocators round requests and split blocks. The constants are those of
/// c10/cuda/CUDACachingAllocator.cpp.
namespace snapviewer {

inline constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t k_gib = std::uint64_t{1} << 30;
inline constexpr std::uint64_t k_min_block_bytes = 512;           ///< Smallest block (PyTorch's kMinBlockSize)
inline constexpr std::uint64_t k_small_limit_bytes = k_mib;       ///< Largest block of the small pool (PyTorch's kSmallSize)
inline constexpr std::uint64_t k_max_unsplit_rest_bytes = k_mib;  ///< Largest rest of a large block that is not split off
inline constexpr std::uint64_t k_small_segment_bytes = 2 * k_mib;   ///< Segment of the small pool (PyTorch's kSmallBuffer)
inline constexpr std::uint64_t k_large_segment_bytes = 20 * k_mib;  ///< Segment for blocks below 10 MiB (kLargeBuffer)
/// Smallest block with a segment of its own (kMinLargeAlloc).
inline constexpr std::uint64_t k_large_direct_bytes = 10 * k_mib;
inline constexpr std::uint64_t k_npu_padding_bytes = 32;         ///< Bytes that torch_npu adds to every request
inline constexpr std::uint64_t k_large_round_bytes = 2 * k_mib;  ///< Unit of the size of larger segments (kRoundLarge)

/// The setting roundup_power2_divisions: the number of divisions for sizes from 1 MiB, 2 MiB, ... 32 GiB on. The first one
/// also applies to smaller sizes. 0 and 1 mean no division.
using SizeDivisions = std::array<std::uint32_t, 16>;

/// Rounds up to a multiple of `step`.
constexpr std::uint64_t round_up_to(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

/// The size of the block for a request, in bytes. `padded_bytes` includes the bytes that the allocator adds to a request.
std::uint64_t block_bytes_for(std::uint64_t padded_bytes, const SizeDivisions& divisions);

/// The size of a new segment for a block or a request of this size, without expandable segments, in bytes.
std::uint64_t segment_bytes_for(std::uint64_t bytes, std::uint64_t large_segment_bytes = k_large_segment_bytes);

/// The setting roundup_power2_divisions as the file states it; all 0 if the file does not.
SizeDivisions recorded_divisions(const Snapshot& snapshot);

/// Returns an allocator setting as a number, or `otherwise` if it is missing or not a number.
double setting_number(const Snapshot& snapshot, std::string_view name, double otherwise);

/// Returns true if expandable segments are on for a device: according to the settings, according to the text of
/// PYTORCH_CUDA_ALLOC_CONF, or because the device has expandable segments or events about them. O(segments + events).
bool has_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace);

/// The rules for blocks under the settings in a snapshot. torch_npu adds 32 bytes to every request; the blocks of the
/// snapshot show whether this is the case.
class AllocatorRules {
public:
    explicit AllocatorRules(const Snapshot& snapshot);

    /// Returns the size of the block for a request if the block fits exactly, in bytes.
    std::uint64_t rounded(std::uint64_t requested_bytes) const {
        return block_bytes_for(requested_bytes + padding_bytes_, divisions_);
    }
    /// Returns true if the remaining `rest_bytes` of a free block stay part of the allocated block instead of becoming a
    /// free block of their own.
    bool keeps_remainder(std::uint64_t block_bytes, std::uint64_t rest_bytes, bool is_small, bool is_expandable) const;
    /// Bytes that the allocator adds to every request before it rounds the size.
    std::uint64_t padding_bytes() const { return padding_bytes_; }

private:
    SizeDivisions divisions_{};
    std::uint64_t max_split_bytes_ = 0;  ///< Setting max_split_size in bytes; 0 means no limit
    std::uint64_t padding_bytes_ = 0;
};

}  // namespace snapviewer
