#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/analysis/card_figures.h"

namespace snapviewer {

/// What PyTorch's error says in every version when memory ran out, by which it is found in a text.
inline constexpr std::string_view k_oom_words = "out of memory. Tried to allocate ";

/// Of a text only so much is looked at from these words on. A message names each process on the card.
inline constexpr std::size_t k_longest_oom_message = 16384;

/// PyTorch's error as text, from k_oom_words on: of PyTorch 1.0 to 2.15, for CUDA, ROCm, XPU and Ascend. Lines may be broken
/// anywhere, and a message that is cut off tells what it has. None where it is no such message: its device and what that has
/// are the least it must say.
///
/// PyTorch's "allocated in private pools" are the free blocks of these pools, which it counts as allocated because nothing
/// else may use them; here they are `private_idle`, and no part of `allocated`.
std::optional<CardFigures> read_oom_message(std::string_view text);

/// The last message in a text, for one that was pasted. None where there is none. O(text).
std::optional<CardFigures> last_oom_message(std::string_view text);

/// The number of the rank that a line of a log names before the message: "[rank3]: ", "[default3]:" of torchrun, "3: " of
/// srun.
std::optional<std::uint32_t> rank_before_message(std::string_view line);

}  // namespace snapviewer
