#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// How much of an answer is written out. A file holds each frame and each text once and mentions them as often as it likes;
/// an answer repeats them. docs/security.md has the figures.
namespace snapviewer {

namespace limits {

/// Frames of one path of a tree, or of one stack as text. Python stops at a thousand calls in each other.
inline constexpr std::size_t k_most_path_frames = 1024;
/// Of one stack as text, as far as whole frames go; it has one at least.
inline constexpr std::size_t k_most_stack_bytes = 256 << 10;
/// Of one frame as text.
inline constexpr std::size_t k_most_frame_bytes = 4 << 10;
/// Of the one line that stands for a stack.
inline constexpr std::size_t k_most_source_bytes = 2 << 10;
/// Of one value that a panel shows, such as what a program noted about an allocation.
inline constexpr std::size_t k_most_fact_bytes = 16 << 10;
/// Of a tooltip, each of its paragraphs.
inline constexpr std::size_t k_most_tooltip_bytes = 4 << 10;
/// Of a list on its way to the clipboard, as far as whole rows go.
inline constexpr std::size_t k_most_copied_bytes = 32 << 20;

/// Memory for the nodes of a tree, or for the rows of a query that are held at once, about a file of so many bytes.
constexpr std::uint64_t most_held_bytes(std::uint64_t read_bytes) { return (64 << 20) + 8 * read_bytes; }

}  // namespace limits

/// What stands where something is left out: "… 1,234 more rows"; `noun` is that of one.
std::string how_many_more(std::size_t count, std::string_view noun);
/// The same for frames.
std::string more_frames(std::size_t count);

}  // namespace snapviewer
