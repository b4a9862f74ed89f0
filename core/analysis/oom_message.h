#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/analysis/card_figures.h"

namespace snapviewer {

/// Words of PyTorch's out-of-memory error that are the same in every version. They locate the message in a log.
inline constexpr std::string_view k_oom_words = "out of memory. Tried to allocate ";

/// Maximum number of bytes of a message that are read, from k_oom_words on. A message is long because it lists each process
/// on the card.
inline constexpr std::size_t k_longest_oom_message = 16384;

/// Parses PyTorch's out-of-memory error, from k_oom_words on, as written by PyTorch 1.0 to 2.15 for CUDA, ROCm, XPU and
/// Ascend. Lines may be broken anywhere. A truncated message yields the values before its end. Returns nullopt unless the
/// text names at least the device, its total and its free memory.
///
/// PyTorch's "allocated in private pools" are the free blocks of these pools. PyTorch counts them as allocated because other
/// requests cannot use them. Here they are `private_idle` and not part of `allocated`.
std::optional<CardFigures> read_oom_message(std::string_view text);

/// The last message in a text, for a text that the user pasted. nullopt if the text contains no message. O(text).
std::optional<CardFigures> last_oom_message(std::string_view text);

/// The rank number that a log line has before the message: "[rank3]: ", "[default3]:" (torchrun) or "3: " (srun). nullopt if
/// there is none.
std::optional<std::uint32_t> rank_before_message(std::string_view line);

}  // namespace snapviewer
