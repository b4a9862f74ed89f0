#include "core/system/clocks.h"

namespace snapviewer {

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_r(&moment, &parts) != nullptr ? std::optional(parts) : std::nullopt;
}

}  // namespace snapviewer
