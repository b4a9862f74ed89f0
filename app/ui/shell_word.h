#pragma once

#include <string>

namespace snapviewer {

/// A text as one word of a shell's command line: as it is where nothing in it means anything to a shell, otherwise quoted.
std::string shell_word(const std::string& text);

}  // namespace snapviewer
