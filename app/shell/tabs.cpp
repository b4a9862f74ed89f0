#include "app/shell/tabs.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace snapviewer::shell {

void Tabs::frame(const FrameInput& input) {
    TabStripState& strip = front().tab_strip();
    strip.shown = front_;
    strip.tabs.clear();
    for (const auto& each : tabs_) strip.tabs.push_back(each->tab_name());
    front().frame(input);
    for (const TabRequest& request : front().take_tab_requests())
        std::visit([this](const auto& asked) { carry_out(asked); }, request);
}

bool Tabs::is_animating() const {
    return front().is_animating() || std::ranges::any_of(tabs_, [](const auto& each) { return each->is_loading(); });
}

void Tabs::drop(const std::vector<std::string>& paths, double y, bool in_tabs) {
    if (!in_tabs && !front().tab_strip().is_at(y)) return front().open_files(paths);
    for (const std::string& path : paths) carry_out(OpenInTab{path});
}

void Tabs::bring_forward(std::size_t index) {
    if (index == front_) return;
    tabs_[index]->take_place_of(front());
    front_ = index;
}

/// Opens the file in a new tab after the one in front, or in that one if it is empty.
void Tabs::carry_out(const OpenInTab& request) {
    if (!front().is_empty()) {
        tabs_.insert(tabs_.begin() + static_cast<std::ptrdiff_t>(front_) + 1,
                     Application::create_parked(front().session().preferences));
        bring_forward(front_ + 1);
    }
    front().open_files({request.path});
}

void Tabs::carry_out(const ShowTab& request) {
    if (request.index < tabs_.size()) bring_forward(request.index);
}

/// Closes a tab. If it was in front, the next tab comes to the front, or the previous one if it was the last. No-op for the
/// only tab.
void Tabs::carry_out(const CloseTab& request) {
    if (request.index >= tabs_.size() || tabs_.size() == 1) return;
    if (request.index == front_) bring_forward(front_ + 1 < tabs_.size() ? front_ + 1 : front_ - 1);
    tabs_.erase(tabs_.begin() + static_cast<std::ptrdiff_t>(request.index));
    if (front_ > request.index) --front_;
}

}  // namespace snapviewer::shell
