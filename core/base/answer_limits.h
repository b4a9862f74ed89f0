#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// How much of an answer is written out. A file holds each frame and each text once and mentions them as often as it likes;
/// an answer repeats them. docs/security.md has the figures.
namespace snapviewer {

namespace limits {

/// The most frames of a path in a tree, and of a stack as text. Python itself allows 1,000 nested calls.
inline constexpr std::size_t k_most_path_frames = 1024;
/// The most bytes of a stack as text. It ends after a whole frame, and has at least one frame.
inline constexpr std::size_t k_most_stack_bytes = 256 << 10;
/// The most bytes of a frame as text.
inline constexpr std::size_t k_most_frame_bytes = 4 << 10;
/// The most bytes of the line that stands for a stack.
inline constexpr std::size_t k_most_source_bytes = 2 << 10;
/// The most bytes of a value in a panel, such as a note of the program about an allocation.
inline constexpr std::size_t k_most_fact_bytes = 16 << 10;
/// The most bytes of a paragraph in a tooltip.
inline constexpr std::size_t k_most_tooltip_bytes = 4 << 10;
/// The most bytes that are copied of a list. The copy ends after a whole row.
inline constexpr std::size_t k_most_copied_bytes = 32 << 20;

/// The most memory for the nodes of a tree, or for the rows of a query that are held at once. `read_bytes` is the size of
/// the file and of what was unpacked from it.
constexpr std::uint64_t most_held_bytes(std::uint64_t read_bytes) { return (64 << 20) + 8 * read_bytes; }

}  // namespace limits

/// The text that replaces rows or other things that are left out: "… 1,234 more rows". `noun` is the singular.
std::string how_many_more(std::size_t count, std::string_view noun);
/// The text that replaces frames that are left out: "… 12 more frames".
std::string more_frames(std::size_t count);

}  // namespace snapviewer
