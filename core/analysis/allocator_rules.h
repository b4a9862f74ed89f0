#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace snapviewer
