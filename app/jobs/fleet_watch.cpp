#include "app/jobs/fleet_watch.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/jobs/sandboxed.h"
#include "core/fleet/fleet_files.h"

namespace snapviewer {
namespace {

using WatchClock = std::chrono::steady_clock;

constexpr WatchClock::duration k_between_fleet_looks = std::chrono::seconds(1);
constexpr int k_pause_a_look = 20;  ///< at least so many times as long as the look took

FleetStamps stamps_of_fleet(const std::vector<std::string>& paths) {
    Progress progress;
    FleetStamps stamps;
    const auto files = find_fleet_files(paths, "", progress);
    if (!files) return stamps;
    for (const FleetFile& file : *files) stamps.emplace(file.path, read_stamps({file.path}));
    return stamps;
}

const FileStamps* stamps_at(const FleetStamps& stamps, const std::string& path) {
    const auto found = stamps.find(path);
    return found == stamps.end() ? nullptr : &found->second;
}

bool are_alike(const FileStamps* a, const FileStamps* b) {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}

}  // namespace

void FleetChangeDetector::look(FleetStamps now) {
    const auto is_news = [&](const std::string& path) {
        const FileStamps* here = stamps_at(now, path);
        return are_alike(here, stamps_at(last_, path)) && !are_alike(here, stamps_at(read_, path));
    };
    const auto is_news_at = [&](const auto& entry) { return is_news(entry.first); };
    has_news_ = std::ranges::any_of(now, is_news_at) || std::ranges::any_of(read_, is_news_at);
    last_ = std::move(now);
}

void FleetWatch::watch(const std::shared_ptr<Watched>& watched, const std::vector<std::string>& paths) {
    enter_sandbox_here({});
    WatchClock::duration pause = k_between_fleet_looks;
    std::unique_lock lock(watched->mutex);
    while (!watched->wake.wait_for(lock, pause, [&] { return watched->is_over; })) {
        lock.unlock();
        const auto began = WatchClock::now();
        FleetStamps now = stamps_of_fleet(paths);
        pause = std::max(k_between_fleet_looks, k_pause_a_look * (WatchClock::now() - began));
        lock.lock();
        watched->detector.look(std::move(now));
    }
}

void FleetWatch::start(std::vector<std::string> paths, FleetStamps read) {
    stop();
    watched_ = std::make_shared<Watched>(std::move(read));
    std::thread([watched = watched_, paths = std::move(paths)] { watch(watched, paths); }).detach();
}

void FleetWatch::stop() {
    if (!watched_) return;
    {
        const std::lock_guard lock(watched_->mutex);
        watched_->is_over = true;
        watched_->wake.notify_all();
    }
    watched_.reset();
}

bool FleetWatch::has_news() const {
    if (!watched_) return false;
    const std::lock_guard lock(watched_->mutex);
    return watched_->detector.has_news();
}

}  // namespace snapviewer
