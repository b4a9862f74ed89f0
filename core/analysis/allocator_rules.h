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

/// setting_text() as a number, or `otherwise`.
double setting_number(const Snapshot& snapshot, std::string_view name, double otherwise);

/// Whether expandable segments are on for a device: by the settings, by the variable's text, or because its segments or
/// events are of that kind. O(segments + events).
bool has_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace);

/// How PyTorch's caching allocators round a request and cut it from a hole. The constants are those of
/// c10/cuda/CUDACachingAllocator.cpp; that torch_npu adds 32 bytes to every request is seen from the blocks.
class AllocatorRules {
public:
    explicit AllocatorRules(const Snapshot& snapshot);

    /// Bytes of the block that a request gets if it fits exactly.
    std::uint64_t rounded(std::uint64_t requested_bytes) const;
    /// Whether `rest_bytes` of a hole beyond a block stay with it instead of becoming a block of their own.
    bool keeps_rest(std::uint64_t block_bytes, std::uint64_t rest_bytes, bool is_small, bool is_expandable) const;
    /// What is added to every request before that.
    std::uint64_t padding_bytes() const { return padding_bytes_; }
    /// What the driver would be asked for to serve a request.
    static std::uint64_t driver_bytes(std::uint64_t requested_bytes);
    /// Multiples of 512, at least one.
    static std::uint64_t round_512(std::uint64_t bytes);

private:
    std::map<std::uint64_t, std::uint64_t> divisions_;  ///< roundup_power2_divisions: MiB -> divisions
    std::uint64_t max_split_bytes_ = 0;                 ///< 0: no limit
    std::uint64_t padding_bytes_ = 0;
};

}  // namespace snapviewer
