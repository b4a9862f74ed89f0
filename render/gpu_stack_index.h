#pragma once

#include <cstdint>
#include <optional>

#include "core/mesh/stack_index.h"
#include "core/timeline/view.h"
#include "render/gl/buffer_texture.h"
#include "render/gl/name.h"
#include "render/gl/program.h"

namespace snapviewer {

/// The tables of one StackIndex in the memory of the GPU.
class GpuStackIndex {
public:
    Status upload(const StackIndex& index);
    std::uint64_t uploaded_bytes() const;

private:
    friend class StackPainter;
    gl::BufferTexture nodes_, versions_, changes_, sizes_, peaks_;
    std::vector<std::uint32_t> peak_levels_;
    std::uint32_t last_tick_ = 0;
    float unit_bytes_ = 1;
};

/// Paints a view by looking every pixel up: first the tick of each column, into a texture of one row, then the pixels.
/// The cost is that of the pixels, whatever the size of the file.
class StackPainter {
public:
    /// Needs OpenGL 4.1; fails with ErrorCode::environment.
    static Result<StackPainter> create();

    struct Scene {
        const GpuStackIndex& index;
        const gl::BufferTexture& ticks;  ///< of the axis
        const gl::BufferTexture& colours;
        double slide = 0;  ///< length of a drop on the axis
        View view;
        int width_px = 0, height_px = 0;
        AllocationId highlighted;
    };
    /// Fills the viewport (0, 0, width_px, height_px) of the bound framebuffer. Two draw calls of three vertices.
    void paint(const Scene& scene);

private:
    StackPainter(gl::Program columns, gl::Program stack) : columns_(std::move(columns)), stack_(std::move(stack)) {}
    void make_column_target(int width_px);
    void find_columns(const Scene& scene);
    void find_pixels(const Scene& scene);

    gl::Program columns_, stack_;
    gl::TextureName column_texture_;
    gl::FramebufferName column_target_;
    int column_count_ = 0;
};

}  // namespace snapviewer
