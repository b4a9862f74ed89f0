#pragma once

#include <cstddef>
#include <cstdint>

/// Upper bounds for single parts of a file. Files are untrusted: exceeding a bound is an error that names the place in the
/// file, and never causes an allocation. The limits of a whole load are in core/base/budget.h.
namespace snapviewer::limits {

/// Maximum number of open values on a pickle's stack. PyTorch's C++ writer keeps the values of a whole trace open.
inline constexpr std::size_t k_stack_values = 100'000'000;
inline constexpr std::size_t k_base_stack_values = 1 << 20;  ///< Open values allowed in even the shortest pickle
inline constexpr std::uint64_t k_bytes_per_stack_value = 4;  ///< Minimum pickle bytes per further open value
/// Maximum number of values and groups that a pickle may create only to drop them again. Python's writer drops none, except
/// in tuples that contain themselves.
inline constexpr std::uint64_t k_max_dropped_values = 1 << 22;
inline constexpr std::size_t k_open_marks = 10'000;  ///< Maximum depth of nested groups (marks) in a pickle
inline constexpr std::size_t k_devices = 1024;
inline constexpr std::size_t k_streams = 0xFFFF;
inline constexpr std::size_t k_pools = 0xFFFE;
inline constexpr std::size_t k_unnamed_actions = 200;
/// Maximum bytes of JSON text of one allocator setting or one metadata value.
inline constexpr std::size_t k_json_text_bytes = 1 << 20;
inline constexpr int k_json_depth = 32;
inline constexpr std::uint64_t k_inflated_bytes = 1ULL << 40;    ///< Maximum unpacked bytes of one packed file or zip member
inline constexpr std::uint64_t k_dictionary_bytes = 1ULL << 29;  ///< Maximum memory for unpacking one xz or LZMA file
/// Base-2 logarithm of the largest Zstandard window: 512 MiB. No compression level uses more than 128 MiB by default.
inline constexpr int k_zstd_window_log = 29;
/// Maximum number of empty streams in one packed file; each costs time and gives no bytes.
inline constexpr std::uint64_t k_empty_streams = 100'000;
/// Maximum number of consecutive empty blocks in a Zstandard frame.
inline constexpr std::uint64_t k_empty_blocks = 1'000'000;
/// Maximum number of members of one zip archive. libzip takes quadratic time for members whose names have the same hash.
inline constexpr std::uint64_t k_zip_members = 20'000;
/// Maximum depth of nested containers, such as a page in a packed file in a zip. Each has its own thread.
inline constexpr int k_container_depth = 4;
/// Maximum bytes of one download from an http link, whose size the user may not have checked.
inline constexpr std::uint64_t k_http_bytes = 1ULL << 36;
/// Maximum bytes of one database that is unpacked into a temporary file.
inline constexpr std::uint64_t k_database_bytes = 1ULL << 36;
/// Maximum number of zip members that are searched for a snapshot, the largest first.
inline constexpr std::size_t k_zip_candidates = 1000;
/// Highest ratio of a member's stated size to the zip's size that is trusted before unpacking.
inline constexpr std::uint64_t k_zip_ratio = 32;
/// Maximum number of values in one JSON array or object that does not become rows of a snapshot.
inline constexpr std::size_t k_json_values = 1 << 24;
/// Maximum number of values in lists and dicts that did not become rows of a snapshot.
inline constexpr std::size_t k_max_kept_values = 100'000'000;
inline constexpr std::size_t k_word_bytes = 1 << 26;  ///< Maximum bytes of one string or number
inline constexpr std::size_t k_allocations = 0xFFFFFFF0;
/// Maximum bytes of one block in a profiler's database.
inline constexpr std::int64_t k_profiled_block_bytes = std::int64_t{1} << 50;
/// Maximum bytes of all blocks in a profiler's database together.
inline constexpr std::int64_t k_profiled_bytes = std::int64_t{1} << 61;
/// Maximum number of frames of one stack in a report of Skyline or DeepView.
inline constexpr std::size_t k_report_frames = 256;

}  // namespace snapviewer::limits
