#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "render/offscreen_framebuffer.h"

namespace snapviewer {

/// Says of a part of the window that it mostly looks as it did in the frame before. What is drawn into `list` while this
/// lives must be opaque or lie on what never changes; outside of the rectangle it is cut.
///
///     const StillPart part(list, ImGui::GetID("bars"), canvas.min, canvas.max);
class StillPart {
public:
    /// The id tells it from all others of the window.
    StillPart(ImDrawList* list, ImGuiID id, ImVec2 min, ImVec2 max);
    StillPart(const StillPart&) = delete;
    StillPart& operator=(const StillPart&) = delete;
    ~StillPart();

private:
    ImDrawList* list_;
    ImGuiID id_;
};

/// The pixels of still parts, kept from frame to frame on a software rasterizer, which copies them sooner than it draws
/// their triangles. Main thread; needs the OpenGL context that was current at its construction, also at its end.
class StillParts {
public:
    StillParts();
    /// Before the frame is drawn into the bound framebuffer: parts that look as they did in the last frame are copied
    /// instead, and those that begin to rest are kept. Changes the frame's commands, and refers to this until it is drawn.
    void use_in(const ImDrawData& frame);
    /// How many parts have a framebuffer and a texture of their own.
    std::size_t kept() const;

private:
    struct Box {
        int left = 0, below = 0;  ///< of the framebuffer, counted from its lower left corner
        int width_px = 0, height_px = 0;
        bool operator==(const Box&) const = default;
    };
    struct Kept {
        Box box;
        std::uint64_t look = 0;  ///< a hash of what was drawn in the last frame
        bool is_kept = false;    ///< the pixels are those of that look
        std::optional<OffscreenFramebuffer> pixels;
        std::uint64_t frame = 0;  ///< in which it was seen last
    };
    void use(Kept& part, ImDrawList& list, int begin, int end);
    static Box box_of(const ImDrawData& frame, const ImVec4& clip);
    static void keep(const ImDrawList* list, const ImDrawCmd* command);
    static void copy(const ImDrawList* list, const ImDrawCmd* command);

    bool is_worth_it_;
    std::uint64_t frame_ = 0;
    std::map<ImGuiID, Kept> parts_;
};

}  // namespace snapviewer
