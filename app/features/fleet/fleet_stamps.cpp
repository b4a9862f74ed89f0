#include "app/features/fleet/fleet_stamps.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/fleet/fleet_reader.h"

namespace snapviewer {

FileStamps stamps_of(const FleetFile& file) {
    if (!file.remote) return read_stamps({file.path});
    const std::filesystem::file_time_type modified{std::chrono::seconds(file.remote->modified_s)};
    FileStamps stamps(k_stamps_per_path);
    stamps.front() = {true, static_cast<std::uintmax_t>(file.file_bytes), modified};
    return stamps;
}

std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths) {
    Progress progress;
    FleetStamps stamps;
    const auto files = find_fleet_files(paths, "", progress);
    if (!files) return stamps;
    for (const FleetFile& file : *files) {
        if (is_unlisted_folder(file)) return std::nullopt;
        stamps.emplace(file.path, stamps_of(file));
    }
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
