#include "app/shell/tabs.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace snapviewer {

void Tabs::frame(const FrameInput& input) {
    TabStripState& strip = front().state().tabs;
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
    if (!in_tabs && !front().state().tabs.is_at(y)) return front().open_files(paths);
    for (const std::string& path : paths) carry_out(OpenInTab{path});
}

void Tabs::bring_forward(std::size_t index) {
    if (index == front_) return;
    tabs_[index]->take_place_of(front());
    front_ = index;
}

/// Behind the one in front, unless that is empty anyway.
void Tabs::carry_out(const OpenInTab& request) {
    if (!front().is_empty()) {
        tabs_.insert(tabs_.begin() + static_cast<std::ptrdiff_t>(front_) + 1,
                     Application::create_parked(front().state().preferences));
        bring_forward(front_ + 1);
    }
    front().open_files({request.path});
}

void Tabs::carry_out(const ShowTab& request) {
    if (request.index < tabs_.size()) bring_forward(request.index);
}

/// The one behind takes the place of the one in front; the last one before it where there is none.
void Tabs::carry_out(const CloseTab& request) {
    if (request.index >= tabs_.size() || tabs_.size() == 1) return;
    if (request.index == front_) bring_forward(front_ + 1 < tabs_.size() ? front_ + 1 : front_ - 1);
    tabs_.erase(tabs_.begin() + static_cast<std::ptrdiff_t>(request.index));
    if (front_ > request.index) --front_;
}

}  // namespace snapviewer
