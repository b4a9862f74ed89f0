#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Limits on the size of answers. A file stores each frame and each text once but may refer to it any number of times, and
/// an answer repeats it for every reference. docs/security.md explains the figures.
namespace snapviewer {

namespace limits {

/// Maximum number of frames in a path of a tree and in a stack that is written as text. Python itself allows 1,000 nested
/// calls.
inline constexpr std::size_t k_most_path_frames = 1024;
/// Maximum size of a stack that is written as text. The text ends after a whole frame, and contains at least one frame.
inline constexpr std::size_t k_most_stack_bytes = 256 << 10;
/// Maximum size of a frame that is written as text.
inline constexpr std::size_t k_most_frame_bytes = 4 << 10;
/// Maximum size of the single source line that represents a stack.
inline constexpr std::size_t k_most_source_bytes = 2 << 10;
/// Maximum size of a value in a panel, for example of the program's note about an allocation.
inline constexpr std::size_t k_most_fact_bytes = 16 << 10;
/// Maximum size of a paragraph in a tooltip.
inline constexpr std::size_t k_most_tooltip_bytes = 4 << 10;
/// Maximum size of the part of a list that is copied to the clipboard. The copy ends after a whole row.
inline constexpr std::size_t k_most_copied_bytes = 32 << 20;

/// Maximum memory for the nodes of a tree, or for the rows of a query that are in memory at once. `read_bytes` is the size
/// of the file plus everything unpacked from it.
constexpr std::uint64_t most_held_bytes(std::uint64_t read_bytes) { return (64 << 20) + 8 * read_bytes; }

}  // namespace limits

/// Text that replaces omitted rows or other items: "… 1,234 more rows". `noun` is the singular.
std::string how_many_more(std::size_t count, std::string_view noun);
/// Text that replaces omitted frames: "… 12 more frames".
std::string more_frames(std::size_t count);

}  // namespace snapviewer
