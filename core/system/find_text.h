#pragma once

#include <string_view>

namespace snapviewer {

/// Returns the offset of the first occurrence of `wanted` in `text`, or npos. O(text + wanted) for all inputs, which
/// std::string_view::find() does not guarantee.
std::size_t find_text(std::string_view text, std::string_view wanted);

}  // namespace snapviewer
