#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "render/framebuffer.h"
#include "render/timeline_renderer.h"

namespace snapviewer {

/// The resolution of a picture while it moves.
enum class MovingPixels : std::uint8_t {
    all,
    /// On a software rasterizer some hundred thousand pixels, enlarged, because its cost follows pixels. The picture is
    /// drawn in full resolution when it stops. A GPU always draws all pixels.
    few,
};

/// A picture that is kept in an offscreen framebuffer and drawn again only after changes. Main thread only.
class TimelineCanvas {
public:
    static Result<std::unique_ptr<TimelineCanvas>> create(MovingPixels moving = MovingPixels::all);
    /// Creates a canvas that shares the renderer of this one, and thereby its data on the GPU, but has its own view.
    /// invalidate() affects both.
    virtual std::unique_ptr<TimelineCanvas> create_beside() const = 0;
    /// Creates a canvas with its own renderer, see TimelineRenderer::create_alike().
    virtual std::unique_ptr<TimelineCanvas> create_alike() const = 0;
    virtual ~TimelineCanvas() = default;

    /// Draws an invisible sample picture, so that the driver compiles the programs, which takes a software rasterizer 0.3 s.
    /// Call it in each frame while a file is read. Works in the first two calls, because Mesa compiles a program again when
    /// it first follows other programs, and in the third, which is warm_up_mesh(). No-op if the renderer has a picture.
    virtual void warm_up() = 0;
    /// Draws an invisible sample picture from triangles at the first call, so that the driver compiles their program, which
    /// takes a software rasterizer 0.1 s. Call it before TimelineRenderer::begin_mesh_upload().
    virtual void warm_up_mesh() = 0;

    virtual TimelineRenderer& renderer() = 0;
    /// Updates the kept picture and returns true if it had to be drawn. Cheap without changes.
    virtual bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) = 0;
    /// True if the kept picture was drawn in lower resolution because it moves. Call update() with the same arguments soon,
    /// to draw it in full resolution. Becomes false soon after the last update(), so that a picture that is no longer shown
    /// does not request frames.
    virtual bool is_coarse() const = 0;
    /// Copies the part of the kept picture that lies in `cut` to the bound framebuffer, with the picture's lower left corner
    /// at the given pixel. No-op before the first update() and after one that failed. Copies bytes, which takes a software
    /// rasterizer a fifth of the time for a textured quad.
    virtual void copy_to_bound(int x_px, int y_px, const FramebufferBox& cut) const = 0;
    /// A number that is unique for each drawn picture of any canvas.
    virtual std::uint64_t look() const = 0;
    /// Forces the next update() to draw. Call it after data or colours in the renderer have changed.
    virtual void invalidate() = 0;
    /// A sentence that explains why the last update() failed; empty if it succeeded.
    virtual const std::string& error() const = 0;
};

}  // namespace snapviewer
