#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "render/framebuffer.h"
#include "render/timeline_renderer.h"

namespace snapviewer::render {

/// The resolution of a picture while it moves.
enum class MovingPixels : std::uint8_t {
    all,
    /// While it moves, a software rasterizer draws the picture with some hundred thousand pixels and enlarges it, because
    /// its cost follows pixels. When the picture stops, it is drawn in full resolution. A GPU always draws all pixels.
    few,
};

/// A picture that is kept in an offscreen framebuffer and drawn again only after changes. Main thread only.
class TimelineCanvas {
public:
    static Result<std::unique_ptr<TimelineCanvas>> create(MovingPixels moving = MovingPixels::all);
    /// Creates a canvas that shares the renderer of this one, and thereby its data on the GPU, but has its own view.
    /// invalidate() affects both.
    std::unique_ptr<TimelineCanvas> create_with_same_renderer() const;
    /// Creates a canvas with its own renderer, see TimelineRenderer::create_with_same_programs().
    std::unique_ptr<TimelineCanvas> create_with_same_programs() const;

    /// Draws an invisible sample picture, so that the driver compiles the programs, which takes a software rasterizer 0.3 s.
    /// Call it in each frame while a file is read. Only the first three calls draw. The second one is needed because Mesa
    /// compiles a program again when it first follows other programs; the third one calls warm_up_mesh(). No-op if the
    /// renderer has a picture.
    void warm_up();
    /// Draws an invisible sample picture from triangles at the first call, so that the driver compiles their program, which
    /// takes a software rasterizer 0.1 s. Call it before TimelineRenderer::begin_mesh_upload().
    void warm_up_mesh();

    TimelineRenderer& renderer() { return *source_->renderer; }
    /// Updates the kept picture and returns true if it had to be drawn. Cheap without changes.
    bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted);
    /// True if the kept picture was drawn in lower resolution because it moves. Call update() with the same arguments soon,
    /// to draw it in full resolution. Becomes false soon after the last update(), so that a picture that is no longer shown
    /// does not request frames.
    bool is_coarse() const;
    /// Copies the part of the kept picture that lies in `cut` to the bound framebuffer, with the picture's lower left corner
    /// at the given pixel. No-op before the first update() and after one that failed. Copies bytes, which takes a software
    /// rasterizer a fifth of the time for a textured quad.
    void copy_to_bound(int x_px, int y_px, const FramebufferBox& cut) const;
    /// A number that is unique for each drawn picture of any canvas.
    std::uint64_t picture_id() const { return picture_id_; }
    /// Forces the next update() to draw. Call it after data or colours in the renderer have changed.
    void invalidate() { ++source_->version; }
    /// A sentence that explains why the last update() failed; empty if it succeeded.
    const std::string& error() const { return (share_ > 1 ? coarse_ : sharp_).error; }

private:
    using Clock = std::chrono::steady_clock;

    /// The state that the canvases of one picture share.
    struct Source {
        std::unique_ptr<TimelineRenderer> renderer;
        MovingPixels moving = MovingPixels::all;
        std::uint64_t version = 0;  ///< incremented by invalidate()
        int warm_ups_left = 2;      ///< number of further calls of warm_up() that draw
        bool is_mesh_warm = false;
    };
    /// A framebuffer that is created again when its size changes.
    struct Target {
        std::optional<OffscreenFramebuffer> pixels;
        std::string error;  ///< reason that the last of_size() failed; empty if it succeeded

        /// Returns the framebuffer; null if it could not be created.
        const OffscreenFramebuffer* of_size(int width_px, int height_px);
    };
    struct DrawnState {
        View view;
        Axis axis = Axis::steps;
        int width_px = 0, height_px = 0;
        AllocationId highlighted;
        glm::vec3 background{0};
        std::uint64_t version = 0;
        bool operator==(const DrawnState&) const = default;
        /// True if only the view and the highlighted allocation differ.
        bool has_moved_from(const DrawnState& before) const;
    };

    explicit TimelineCanvas(std::shared_ptr<Source> source) : source_(std::move(source)) {}
    int share_to_draw(const DrawnState& wanted) const;

    std::shared_ptr<Source> source_;
    Target sharp_, coarse_;
    const OffscreenFramebuffer* target_ = nullptr;  ///< the framebuffer of the last update()
    std::optional<DrawnState> drawn_;               ///< state of the last update(), even if it failed
    std::uint64_t picture_id_ = 0;
    int share_ = 1;  ///< factor by which the last update() reduced the numbers of columns and rows
    Clock::time_point asked_at_, moved_at_;
};

}  // namespace snapviewer::render
