#pragma once

#include <string>

namespace snapviewer {

/// Quotes a text as one word for a POSIX shell. Returns it unchanged if it contains no special characters.
std::string shell_word(const std::string& text);

}  // namespace snapviewer
