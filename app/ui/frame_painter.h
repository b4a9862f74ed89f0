#pragma once

#include <imgui.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "app/ui/frame_changes.h"
#include "app/ui/plain_fills.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Whether a framebuffer still has the pixels of the last frame when the next one is drawn on it. Where that may or may not
/// be, a mark in the alpha of two pixels tells.
enum class Pixels : std::uint8_t { are_kept, may_be_kept };

/// Draws what ImGui was told of a frame. A software rasterizer, for which every pixel is work, draws only what changed where
/// the rest is still there. Main thread; needs the OpenGL context that was current at its construction, also at its end.
class FramePainter {
public:
    FramePainter();
    /// After ImGui::Render(): the window into the bound framebuffer of this size.
    void paint(int width_px, int height_px, Pixels pixels);
    /// The next frame is drawn whole.
    void forget() { changes_.forget(); }

private:
    /// What decides about pixels besides the pieces of a frame.
    struct Ground {
        int framebuffer = 0, width_px = 0, height_px = 0;
        ImU32 colour = 0;
        std::uint64_t fonts_version = 0;
        bool operator==(const Ground&) const = default;
    };
    struct CutPicture {
        const TimelineCanvas* canvas;
        FramebufferBox place, cut;
    };
    void warm_up(const ImDrawData& frame);
    void draw_changes(ImDrawData& frame, const FramebufferBox& whole);
    bool is_marked(const FramebufferBox& whole) const;
    void mark(const FramebufferBox& whole);
    void draw_within(ImDrawData& frame, const FramebufferBox& cut);
    void take_commands(const ImDrawData& frame, const FramebufferBox& cut);
    ImDrawCmd cut_command(const ImDrawData& frame, const FramePiece& piece, const FramebufferBox& cut);
    void draw(ImDrawData& frame);

    bool is_worth_it_;
    bool is_warm_ = false;
    PlainFills plain_fills_;
    Ground ground_;  ///< of the last frame
    FrameChanges changes_;
    std::uint8_t mark_ = 0;  ///< of the last frame
    std::vector<FramePiece> found_;
    /// Of each list, for the box at hand. A deque copies none when it grows: ImGui copies an empty one with a null pointer.
    std::deque<ImVector<ImDrawCmd>> commands_;
    std::deque<CutPicture> pictures_;  ///< of these commands
};

}  // namespace snapviewer
