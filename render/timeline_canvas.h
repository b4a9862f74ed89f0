#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "render/framebuffer_box.h"
#include "render/timeline_renderer.h"

namespace snapviewer {

/// How many pixels a picture is drawn with while it moves.
enum class MovingPixels : std::uint8_t {
    all,
    /// On a software rasterizer, for which every pixel is work, some hundred thousand, enlarged; all of them when it rests.
    few,
};

/// The picture, kept off the screen and drawn again only when something about it changed.
class TimelineCanvas {
public:
    static Result<std::unique_ptr<TimelineCanvas>> create(MovingPixels moving = MovingPixels::all);
    /// Another picture of what this one's renderer holds: with a view of its own, and nothing of it twice on the graphics
    /// card. invalidate() of one holds for both.
    virtual std::unique_ptr<TimelineCanvas> create_beside() const = 0;
    /// A canvas for a picture of its own, see TimelineRenderer::create_alike().
    virtual std::unique_ptr<TimelineCanvas> create_alike() const = 0;
    virtual ~TimelineCanvas() = default;

    /// Draws a made-up picture that nobody sees, unless one is there to be drawn: a driver compiles programs when it first
    /// draws with them, which takes a software one 0.3 s. To be called while a file is read, in each frame: it does
    /// something in the first two, because Mesa compiles a program anew when it follows others for the first time.
    virtual void warm_up() = 0;
    /// Draws a made-up picture from triangles, once, for the same reason: a software driver takes 0.1 s to compile their
    /// program. warm_up() does it in the third frame of a file that takes so long; otherwise call it before the first
    /// TimelineRenderer::begin_mesh_upload().
    virtual void warm_up_mesh() = 0;

    virtual TimelineRenderer& renderer() = 0;
    /// Brings the kept picture up to date. Returns whether it had to be drawn. Cheap when nothing changed.
    virtual bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) = 0;
    /// Whether the kept picture was drawn with fewer pixels than it has, because it moves: update() is to be called again
    /// soon to draw all of them, with the same arguments. False again soon after the last update(), so that a picture that
    /// is no longer shown keeps nobody awake.
    virtual bool is_coarse() const = 0;
    /// Copies the kept picture into the bound framebuffer, its lower left corner to this pixel counted from below, but there
    /// only what lies in `cut`; nothing before the first update(), and if that failed. Costs what moving its bytes costs: a
    /// software rasterizer needs five times that for a quad.
    virtual void copy_to_bound(int x_px, int y_px, const FramebufferBox& cut) const = 0;
    /// Another number whenever the kept picture was drawn, and for each canvas.
    virtual std::uint64_t look() const = 0;
    /// Forces the next update() to draw: after the mesh or the colours changed, or more of them arrived.
    virtual void invalidate() = 0;
    /// Why the picture asked for last could not be drawn, as a sentence; empty if it could.
    virtual const std::string& error() const = 0;
};

}  // namespace snapviewer
