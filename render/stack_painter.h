#pragma once

#include <cstdint>
#include <optional>

#include "core/mesh/stack_index.h"
#include "render/gl/name.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/gl/upload_queue.h"
#include "render/scene.h"

namespace snapviewer {

/// The tables of a StackIndex in the memory of the GPU.
class GpuStackIndex {
public:
    /// Adds the tables to the queue; the index must outlive the upload. Fails with ErrorCode::environment if the driver has
    /// no tables of that length.
    Status upload(const StackIndex& index, gl::UploadQueue& queue);

private:
    friend class StackPainter;
    bool has_more() const { return node_count_ > first_of_more_; }

    gl::Table nodes_, more_nodes_, versions_, changes_, peaks_;
    std::size_t node_count_ = 0;
    std::size_t first_of_more_ = 0;  ///< first node in more_nodes_, if the driver cannot hold all nodes in one table
    std::vector<std::uint32_t> peak_levels_;
    std::uint32_t last_tick_ = 0;
};

/// Paints a view by looking up each pixel in the index, in three passes. The first pass finds the tick of each column. The
/// second pass walks down the tree for blocks of 16 pixels of a column, as far as the paths of all of them are equal. The
/// third pass walks the rest of the way for each pixel. The cost follows the number of pixels, not the size of the file.
class StackPainter {
public:
    /// Needs OpenGL 4.1; fails with ErrorCode::environment.
    static Result<StackPainter> create();

    /// Fills the viewport (0, 0, width, height) of the bound framebuffer. Three draw calls of three vertices.
    void paint(const GpuStackIndex& index, const Scene& scene);

private:
    /// The output of a pass, which the next pass reads: four 32-bit integers per place.
    struct Target {
        gl::TextureName texture;
        gl::FramebufferName framebuffer;
        int width = 0, height = 0;

        /// Resizes the target and binds it for drawing.
        void begin(int wanted_width, int wanted_height);
    };

    /// The programs of the two passes that walk down the tree.
    struct Walks {
        gl::Program blocks, stack;
    };

    StackPainter(gl::Program columns, Walks walks, Walks long_walks)
        : columns_(std::move(columns)), walks_(std::move(walks)), long_walks_(std::move(long_walks)) {}
    static Result<Walks> link_walks();
    static Result<Walks> link_long_walks();
    const Walks& walks_of(const GpuStackIndex& index) const { return index.has_more() ? long_walks_ : walks_; }
    void find_columns(const GpuStackIndex& index, const Scene& scene);
    void find_blocks(const GpuStackIndex& index, const Scene& scene);
    void find_pixels(const GpuStackIndex& index, const Scene& scene);
    void set_tables(const gl::Program& program, const GpuStackIndex& index, const Scene& scene) const;

    gl::Program columns_;
    Walks walks_, long_walks_;  ///< programs for nodes in one table, and in two tables
    Target column_target_, block_target_;
};

}  // namespace snapviewer
