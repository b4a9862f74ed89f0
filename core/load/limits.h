#pragma once

#include <cstddef>
#include <cstdint>

/// What a file may ask for in one place. Files come from strangers: anything beyond is an error with its place, never an
/// allocation. What a whole load may cost is in core/base/budget.h.
namespace snapviewer::limits {

inline constexpr std::size_t k_stack_values =
    100'000'000;  ///< values a pickle may hold open; the C++ writer opens a whole trace
inline constexpr std::size_t k_free_stack_values = 1 << 20;  ///< of these, however short the pickle
inline constexpr std::uint64_t k_bytes_a_stack_value = 4;    ///< that further ones take at least in a real one
/// Values and groups that a pickle may make only to drop them again; Python's writer drops none, but for tuples in
/// themselves.
inline constexpr std::uint64_t k_dropped_values = 1 << 22;
inline constexpr std::size_t k_open_marks = 10'000;  ///< groups of a pickle that lie in each other
inline constexpr std::size_t k_devices = 1024;
inline constexpr std::size_t k_streams = 0xFFFF;
inline constexpr std::size_t k_pools = 0xFFFE;
inline constexpr std::size_t k_unnamed_actions = 200;
inline constexpr std::size_t k_json_text_bytes = 1 << 20;  ///< of one settings value or one piece of metadata
inline constexpr int k_json_depth = 32;
inline constexpr std::uint64_t k_inflated_bytes = 1ULL << 40;    ///< of one packed file or zip member, unpacked
inline constexpr std::uint64_t k_dictionary_bytes = 1ULL << 29;  ///< that unpacking one xz or LZMA file may take
/// The same of Zstandard, as the power of two of its window: 512 MiB. No level asks for more than 128 MiB by itself.
inline constexpr int k_zstd_window_log = 29;
inline constexpr std::uint64_t k_empty_streams = 100'000;   ///< of one packed file; each costs time and gives nothing
inline constexpr std::uint64_t k_empty_blocks = 1'000'000;  ///< of a Zstandard frame, one after another
/// Of one zip: what reads it takes the square of those whose names hash alike.
inline constexpr std::uint64_t k_zip_members = 20'000;
inline constexpr int k_container_depth = 4;                ///< a page in a packed file in a zip; each has its own thread
inline constexpr std::uint64_t k_http_bytes = 1ULL << 36;  ///< of one file behind a link, which nobody may have looked at
inline constexpr std::uint64_t k_database_bytes = 1ULL << 36;  ///< of one that must be unpacked into a temporary folder
inline constexpr std::size_t k_zip_candidates = 1000;          ///< members looked at for a snapshot, the largest first
inline constexpr std::uint64_t k_zip_ratio = 32;           ///< of a member's size to the zip's that is believed in advance
inline constexpr std::size_t k_json_values = 1 << 24;      ///< in one JSON array or object that is none of a snapshot's rows
inline constexpr std::size_t k_kept_values = 100'000'000;  ///< of lists and dicts that did not become rows
inline constexpr std::size_t k_word_bytes = 1 << 26;       ///< of one string or number
inline constexpr std::size_t k_allocations = 0xFFFFFFF0;
inline constexpr std::int64_t k_profiled_block_bytes = std::int64_t{1} << 50;  ///< of one block in a profiler's database
inline constexpr std::int64_t k_profiled_bytes = std::int64_t{1} << 61;        ///< of all such blocks together
inline constexpr std::size_t k_report_frames = 256;                            ///< of one stack of a report

}  // namespace snapviewer::limits
