#pragma once

#include <cstdint>
#include <functional>

namespace snapviewer {

class MeshPainter;
class StackPainter;

/// What to draw a picture from: triangles or the index of the live stack. Both give the same picture; automatic takes what
/// this driver draws faster. Mesh and index are to compare: always that, as far as there is one. Zoomed out so far that
/// ticks are narrower than a pixel, triangles show each column as it is at its middle, so that short spikes may be missing.
enum class Drawing : std::uint8_t { automatic, mesh, index };

/// How much a driver draws in a millisecond.
struct DrawingSpeed {
    double mesh_vertices = 1;
    double index_pixels = 1;
};

/// What there is to choose from in one view.
struct DrawingChoice {
    bool has_mesh = false;
    bool has_index = false;
    bool ticks_are_wide = false;  ///< as Scene::ticks_are_wide
    std::uint64_t mesh_vertices = 0;
    std::uint64_t pixels = 0;
};

/// Whether a view is to be drawn from triangles; the one place where this is decided. Asks for the speed only where it
/// matters, so that it need not be known before.
bool draws_from_mesh(Drawing wanted, const DrawingChoice& choice, const std::function<DrawingSpeed()>& speed);

/// Draws a small picture both ways, off the screen, and takes the time: some 10 ms in software. Leaves the framebuffer bound
/// that was. Where the driver has no room for it, the answer is that of a software rasterizer.
DrawingSpeed measure_drawing_speed(MeshPainter& mesh_painter, StackPainter& stack_painter);

/// Whether the context's driver draws on the CPU, by its name.
bool is_software_driver();

/// What the records of a mesh may take: what the user set; if that is 0, as much as pays with such a driver (64 MiB in
/// software, 1 GiB on a GPU). Where only one of mesh and index is to be drawn, that has all it needs and the other nothing.
std::uint64_t mesh_budget_bytes(Drawing wanted, std::uint64_t set_bytes, bool is_software);

}  // namespace snapviewer
