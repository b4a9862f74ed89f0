#include "app/system/crash_report.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "app/system/folders.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_kept_reports = 10;

}  // namespace

fs::path crash_folder() {
    const fs::path state = state_folder();
    return state.empty() ? state : state / "snapviewer";
}

LastActions& last_actions() {
    static LastActions actions;
    return actions;
}

void note_action(std::string_view action) {
    static std::mutex noting;
    const std::lock_guard lock(noting);
    LastActions& last = last_actions();
    auto& place = last.texts[last.count % last.texts.size()];
    const std::size_t length = std::min(action.size(), place.size() - 1);
    std::transform(action.begin(), action.begin() + static_cast<std::ptrdiff_t>(length), place.begin(),
                   [](char c) { return static_cast<unsigned char>(c) < ' ' ? ' ' : c; });
    place[length] = '\0';
    ++last.count;
}

std::optional<fs::path> take_crash_report(const fs::path& folder) {
    std::error_code failed;
    std::vector<fs::path> reports;
    std::optional<fs::path> newest;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with("crash-") || !name.ends_with(".txt")) continue;
        fs::path path = it->path();
        if (name.ends_with(k_new_report_ending)) {
            path = folder / (name.substr(0, name.size() - k_new_report_ending.size()) + ".txt");
            fs::rename(it->path(), path, failed);
            if (failed) continue;  // another instance of the program renamed it first
            if (!newest || *newest < path) newest = path;
        }
        reports.push_back(path);
    }
    std::sort(reports.rbegin(), reports.rend());
    for (std::size_t i = k_kept_reports; i < reports.size(); ++i) fs::remove(reports[i], failed);
    return newest;
}

}  // namespace snapviewer
