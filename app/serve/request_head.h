#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// Validation of a request's head before a library parses it, so that no two parsers can interpret it differently.
namespace snapviewer {

inline constexpr std::size_t k_max_head_bytes = 32 << 10;

/// Returns the length of the head at the beginning of `bytes`, including the empty line that ends it; 0 if it is incomplete.
/// The caller has already searched the first `seen` bytes for the end. O(bytes after those).
std::size_t head_length(std::string_view bytes, std::size_t seen);

/// Returns the target of a head that conforms to RFC 9112 and uses only methods, versions and lengths that this server
/// supports; otherwise nullopt.
std::optional<std::string_view> target_of_head(std::string_view head);

}  // namespace snapviewer
