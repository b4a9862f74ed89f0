#pragma once

#include <imgui.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "app/ui/frame_changes.h"
#include "render/framebuffer.h"
#include "render/plain_triangles.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Adds a command to `list` that copies the canvas's picture into the window between these corners. The canvas must outlive
/// the frame.
void add_picture_command(ImDrawList* list, const render::TimelineCanvas& canvas, ImVec2 min, ImVec2 max);

bool is_picture_command(const ImDrawCmd& command);
/// The canvas of a picture command. Precondition: is_picture_command(command).
const render::TimelineCanvas& canvas_of(const ImDrawCmd& command);
/// The rectangle of a picture command in the framebuffer. Precondition: is_picture_command(command).
render::FramebufferBox picture_place(const ImDrawData& frame, const ImDrawCmd& command);

/// Fills large areas of one colour, such as backgrounds of panels, without a texture if a software rasterizer draws, which
/// is faster. Main thread. Needs the OpenGL context that was current at its construction, also in its destructor.
class PlainFills {
public:
    PlainFills();
    PlainFills(const PlainFills&) = delete;
    PlainFills& operator=(const PlainFills&) = delete;

    /// Replaces commands of the frame with faster ones that give the same pixels. Call it before the frame is drawn. The
    /// frame refers to this object until it is drawn.
    void use_in(ImDrawData& frame);

private:
    enum class Kind : std::uint8_t { textured, see_through, opaque };

    void split(const ImDrawList& list, const ImDrawCmd& command);
    void add(const ImDrawCmd& command, unsigned begin, unsigned end, Kind kind);
    Kind kind_of(const ImDrawList& list, const ImDrawCmd& command, unsigned at) const;
    template <Kind kind>
    static void fill(const ImDrawList* list, const ImDrawCmd* command);

    std::optional<render::PlainTriangles> triangles_;  ///< nullopt with a graphics card, or if the driver refuses
    const ImDrawData* frame_ = nullptr;
    std::vector<ImDrawCmd> commands_;  ///< commands of the current list; a member only to reuse its memory
};

/// Whether a framebuffer still contains the last frame when the next one is drawn. If that is uncertain, FramePainter marks
/// two pixels in the alpha channel and checks the mark.
enum class Pixels : std::uint8_t { are_kept, may_be_kept, are_lost };

/// Draws ImGui's draw data. With a software rasterizer, whose cost grows with the pixels, it draws only the changed parts if
/// the framebuffer still contains the last frame. Main thread. Needs the OpenGL context that was current at its
/// construction, also in its destructor.
class FramePainter {
public:
    FramePainter();
    /// Draws the frame into the bound framebuffer, which has this size. Call it after ImGui::Render().
    void paint(int width_px, int height_px, Pixels pixels);

private:
    /// Everything besides the pieces of a frame that affects its pixels.
    struct Surroundings {
        int framebuffer = 0, width_px = 0, height_px = 0;
        ImU32 colour = 0;
        std::uint64_t fonts_version = 0;
        bool operator==(const Surroundings&) const = default;
    };
    struct CutPicture {
        const render::TimelineCanvas* canvas;
        render::FramebufferBox place, cut;
    };
    void warm_up(const ImDrawData& frame);
    void draw_changes(ImDrawData& frame, const render::FramebufferBox& whole);
    bool is_marked(const render::FramebufferBox& whole) const;
    void mark(const render::FramebufferBox& whole);
    void draw_within(ImDrawData& frame, const render::FramebufferBox& cut);
    void take_commands(const ImDrawData& frame, const render::FramebufferBox& cut);
    ImDrawCmd cut_command(const ImDrawData& frame, const FramePiece& piece, const render::FramebufferBox& cut);
    void draw(ImDrawData& frame);

    bool is_worth_it_;
    bool is_warm_ = false;
    PlainFills plain_fills_;
    Surroundings around_;  ///< State of the last frame
    FrameChanges changes_;
    std::uint8_t mark_ = 0;  ///< Alpha value that marks the last frame
    std::vector<FramePiece> found_;
    /// Commands of each draw list for the current box. A deque, because it does not copy its elements when it grows: copying
    /// an empty ImVector passes a null pointer to memcpy.
    std::deque<ImVector<ImDrawCmd>> commands_;
    std::deque<CutPicture> pictures_;  ///< Pictures to which `commands_` refer
};

}  // namespace snapviewer
