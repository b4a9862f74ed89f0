#include <unistd.h>

#include <cstring>

#include "core/system/memory.h"

namespace snapviewer {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t find_text(std::string_view text, std::string_view wanted) {
    const void* found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace snapviewer
