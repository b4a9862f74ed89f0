#pragma once

#include <cstddef>
#include <cstdint>

/// What a file may ask for. Files come from strangers: anything beyond is an error with its place, never an allocation.
namespace snapviewer::limits {

inline constexpr std::size_t k_stack_values =
    100'000'000;  ///< values a pickle may hold open; the C++ writer opens a whole trace
inline constexpr std::size_t k_devices = 1024;
inline constexpr std::size_t k_streams = 0xFFFF;
inline constexpr std::size_t k_pools = 0xFFFE;
inline constexpr std::size_t k_unnamed_actions = 200;
inline constexpr std::size_t k_json_text_bytes = 1 << 20;  ///< of one settings value or one piece of metadata
inline constexpr int k_json_depth = 32;
inline constexpr std::size_t k_json_word_bytes = 1 << 26;    ///< of one string or number
inline constexpr std::uint64_t k_member_bytes = 1ULL << 40;  ///< of one zip member, uncompressed
inline constexpr std::size_t k_allocations = 0xFFFFFFF0;
inline constexpr std::size_t k_report_frames = 256;  ///< of one stack of a report

}  // namespace snapviewer::limits
