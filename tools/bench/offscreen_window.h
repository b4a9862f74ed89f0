#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/frame_painter.h"
#include "app/ui/item_observer.h"
#include "core/base/result.h"
#include "render/framebuffer.h"

// What measurements and tests need of a window that is drawn offscreen, besides what the program needs.

namespace snapviewer::bench {

/// Moves the mouse in the next frame.
inline void move_mouse(ImVec2 to) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMousePosEvent(to.x, to.y);
#else
    ImGui::GetIO().MousePos = to;
#endif
}

/// Knows where the items of the window are, and presses the mouse button on them. Only one may exist at a time.
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
    void end_frame(const shell::Application& /*application*/) override {}
    bool wants_frame() const override { return false; }

    /// Moves to an item, and presses the button a frame later. If the item is out of view, scrolls the window at the mouse
    /// to its right end, then to its left end. `draw_frame` draws one frame. Returns false if the item is not on the screen.
    /// It is clicked in the first frame after release().
    template <typename DrawFrame>
    bool press(const std::string& item, DrawFrame draw_frame) {
        constexpr float k_far = 1000;
        for (const float notches : {0.0F, -k_far, k_far}) {
            ImGui::GetIO().MouseWheelH = notches;
            draw_frame();
            places_.clear();
            draw_frame();
            const auto place = places_.find(item);
            if (place == places_.end()) continue;
            move_mouse(place->second);
            draw_frame();
            ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = true;
            draw_frame();
            return true;
        }
        return false;
    }
    static void release() { ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = false; }

private:
    std::map<std::string, ImVec2> places_;
};

/// Paints frames as a whole, also with drivers for which unchanged parts are normally kept. Needs an OpenGL context during
/// its whole life.
class WholePainter {
public:
    /// Paints the last frame of ImGui, after ImGui::Render(). Its framebuffer has this size, which must always be the same,
    /// and stays bound.
    Status paint(int width_px, int height_px) {
        if (!target_) {
            Result<render::OffscreenFramebuffer> made = render::OffscreenFramebuffer::create(width_px, height_px);
            if (!made) return made.error();
            target_ = std::move(*made);
        }
        target_->bind();
        painter_.paint(width_px, height_px, Pixels::are_lost);
        return {};
    }

private:
    std::optional<render::OffscreenFramebuffer> target_;
    FramePainter painter_;
};

}  // namespace snapviewer::bench
