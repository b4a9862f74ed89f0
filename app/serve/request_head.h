#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// The head of a request, which is judged before a library reads it: no two readers of a head may understand it differently.
namespace snapviewer {

inline constexpr std::size_t k_max_head_bytes = 32 << 10;

/// The length of the head at the beginning of `bytes`, with the empty line that ends it; 0 if more has to come. The end is
/// not in the first `seen` bytes. O(bytes beyond those).
std::size_t head_length(std::string_view bytes, std::size_t seen);

/// The target of a head that keeps to RFC 9112 and to the methods, versions and lengths that this server knows; else none.
std::optional<std::string_view> target_of_head(std::string_view head);

}  // namespace snapviewer
