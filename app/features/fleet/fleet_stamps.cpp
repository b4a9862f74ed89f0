#include "app/features/fleet/fleet_stamps.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/fleet/fleet_files.h"

namespace snapviewer {

FleetStamps read_fleet_stamps(const std::vector<std::string>& paths) {
    Progress progress;
    FleetStamps stamps;
    const auto files = find_fleet_files(paths, "", progress);
    if (!files) return stamps;
    for (const FleetFile& file : *files) stamps.emplace(file.path, read_stamps({file.path}));
    return stamps;
}

std::uint64_t awaited_memory_bytes(std::uint64_t need_bytes, std::uint64_t available_bytes) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return std::max(need_bytes, available_bytes + std::min(available_bytes / 4, most - available_bytes));
}

void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes) {
    for (const auto& [path, bytes] : awaited) {
        if (available_bytes > bytes) stamps.erase(path);
    }
}

}  // namespace snapviewer
