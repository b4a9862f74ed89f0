#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

/// What one answer may cost: a tree of calls, a report, the rows of a query, an exported file. A file holds each frame and
/// each text once and mentions them as often as it likes; an answer writes them out. As for loads (budget.h), each
/// bound is a fixed part, so that small files need not be looked at, and a multiple of the bytes read. docs/security.md has
/// the figures.
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

/// Memory for rows and nodes of an answer.
inline constexpr std::uint64_t k_free_held_bytes = 64 << 20;
inline constexpr std::uint64_t k_held_bytes_a_byte = 8;

/// Text of an answer on its way out. Exported allocations with their stacks take up to 24 times the snapshot, and with
/// stacks of C++ may take three times as much.
inline constexpr std::uint64_t k_free_written_bytes = 64 << 20;
inline constexpr std::uint64_t k_written_bytes_a_byte = 128;

/// Steps of about a nanosecond, as to hash a byte of a frame that a stack mentions.
inline constexpr std::uint64_t k_free_answer_work = 1 << 28;
inline constexpr std::uint64_t k_answer_work_a_byte = 32;

}  // namespace limits

/// The account of one answer. Whoever adds to it asks here first; what is refused is left out, cut or hashed instead, and
/// said so. One thread.
class AnswerBudget {
public:
    /// For answers about so many bytes as were read, see Snapshot::read_bytes.
    explicit AnswerBudget(std::uint64_t read_bytes) : read_bytes_(read_bytes) {}

    /// Whether so many bytes more may be held, written, or so many steps more be made. What is refused is not charged, so
    /// something smaller may still find room.
    bool hold(std::uint64_t bytes);
    bool write(std::uint64_t bytes);
    bool work(std::uint64_t steps);

    std::uint64_t most_held_bytes() const;
    std::uint64_t most_written_bytes() const;
    /// What is said where an answer that has to be whole would be longer. `advice` says what to do about it.
    Error too_long(std::string_view advice) const;

private:
    std::uint64_t read_bytes_;
    std::uint64_t held_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
    std::uint64_t work_ = 0;
};

/// What stands where something is left out: "… 1,234 more rows"; `noun` is that of one.
std::string how_many_more(std::size_t count, std::string_view noun);
/// The same for frames.
std::string more_frames(std::size_t count);

}  // namespace snapviewer
