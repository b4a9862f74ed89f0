#pragma once

#include <string_view>

namespace snapviewer {

/// Where the first place of what is wanted begins, or npos. In a time that grows with the two lengths together, whatever the
/// texts are, which std::string_view::find() does not promise.
std::size_t find_text(std::string_view text, std::string_view wanted);

}  // namespace snapviewer
