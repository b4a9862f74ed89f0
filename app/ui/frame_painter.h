#pragma once

#include <imgui.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "app/ui/frame_changes.h"
#include "app/ui/plain_fills.h"
#include "render/offscreen_framebuffer.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Draws what ImGui was told of a frame. A software rasterizer copies pixels sooner than it draws triangles, so there the
/// last frame is kept, and of the next one only what changed is drawn. Main thread; needs the OpenGL context that was
/// current at its construction, also at its end.
class FramePainter {
public:
    FramePainter();
    /// After ImGui::Render(): the whole window into the bound framebuffer of this size.
    void paint(int width_px, int height_px);
    /// The next frame is drawn whole.
    void forget() { changes_.forget(); }

private:
    /// What decides about pixels besides the pieces of a frame.
    struct Ground {
        ImU32 colour = 0;
        std::uint64_t fonts_version = 0;
        bool operator==(const Ground&) const = default;
    };
    struct CutPicture {
        const TimelineCanvas* canvas;
        FramebufferBox place, cut;
    };
    bool can_keep(const ImDrawData& frame, int width_px, int height_px);
    void draw_changes(ImDrawData& frame);
    void draw_within(ImDrawData& frame, const FramebufferBox& cut);
    void take_commands(const ImDrawData& frame, const FramebufferBox& cut);
    ImDrawCmd cut_command(const ImDrawData& frame, const FramePiece& piece, const FramebufferBox& cut);
    void draw(ImDrawData& frame);

    bool is_worth_it_;
    PlainFills plain_fills_;
    std::optional<OffscreenFramebuffer> kept_;
    Ground ground_;  ///< of the kept frame
    FrameChanges changes_;
    std::vector<FramePiece> found_;
    std::vector<ImVector<ImDrawCmd>> commands_;  ///< of each list, for the box at hand
    std::deque<CutPicture> pictures_;            ///< of these commands
};

}  // namespace snapviewer
