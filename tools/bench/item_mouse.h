#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "app/picture/studio.h"
#include "app/ui/item_observer.h"

namespace snapviewer::bench {

/// The mouse of a window that is drawn offscreen: knows where the items are and presses its button on them. Only one may
/// exist at a time.
class ItemMouse : public ItemObserver {
public:
    ItemMouse() { set_item_observer(this); }
    ~ItemMouse() override { set_item_observer(nullptr); }
    ItemMouse(const ItemMouse&) = delete;
    ItemMouse& operator=(const ItemMouse&) = delete;

    void begin_frame() override {}
    void item(std::string_view name, float left, float top, float right, float bottom) override {
        places_[std::string(name)] = {std::min(left + 10, std::midpoint(left, right)), std::midpoint(top, bottom)};
    }
    void end_frame(const Application& /*application*/) override {}
    bool wants_frame() const override { return false; }

    /// Moves to an item, and presses the button a frame later. `draw_frame` draws one frame. Returns false if no item of
    /// this name was ever on the screen. The item is clicked in the first frame after release().
    template <typename DrawFrame>
    bool press(OffscreenInterface& interface, const std::string& item, DrawFrame draw_frame) {
        const auto place = places_.find(item);
        if (place == places_.end()) return false;
        interface.move_mouse(place->second);
        draw_frame();
        ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = true;
        draw_frame();
        return true;
    }
    static void release() { ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = false; }

private:
    std::map<std::string, ImVec2> places_;
};

}  // namespace snapviewer::bench
