#include "core/system/find_text.h"

#include <cstring>

namespace snapviewer {

std::size_t find_text(std::string_view text, std::string_view wanted) {
    const void* found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace snapviewer
