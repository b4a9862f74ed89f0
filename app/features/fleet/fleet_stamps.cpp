#include "app/features/fleet/fleet_stamps.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/fleet/fleet_files.h"

namespace snapviewer {
namespace {

const FileStamps* stamps_at(const FleetStamps& stamps, const std::string& path) {
    const auto found = stamps.find(path);
    return found == stamps.end() ? nullptr : &found->second;
}

bool are_alike(const FileStamps* a, const FileStamps* b) {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}

}  // namespace

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

void FleetChangeDetector::look(FleetStamps now) {
    const auto is_news = [&](const std::string& path) {
        const FileStamps* here = stamps_at(now, path);
        return are_alike(here, stamps_at(last_, path)) && !are_alike(here, stamps_at(read_, path));
    };
    const auto is_news_at = [&](const auto& entry) { return is_news(entry.first); };
    has_news_ = std::ranges::any_of(now, is_news_at) || std::ranges::any_of(read_, is_news_at);
    last_ = std::move(now);
}

}  // namespace snapviewer
