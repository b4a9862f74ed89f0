#include "core/system/memory.h"

#include <unistd.h>

namespace snapviewer {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

}  // namespace snapviewer
