#include "render/drawing.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string_view>
#include <vector>

#include "render/gl/framebuffer_binding_guard.h"
#include "render/mesh_painter.h"
#include "render/offscreen_framebuffer.h"
#include "render/stack_painter.h"

namespace snapviewer {
namespace {

/// Of a software rasterizer on two cores, for want of a measurement.
constexpr DrawingSpeed k_software_speed{7'000, 100'000};
constexpr int k_width_px = 512;
constexpr int k_height_px = 256;
constexpr std::uint32_t k_tick_count = 64;
constexpr std::uint32_t k_piece_count = 64;
constexpr std::uint32_t k_leaf_bits = 10;
constexpr std::uint32_t k_leaf_count = 1U << k_leaf_bits;
constexpr std::uint64_t k_size_bytes = 1024;
constexpr int k_runs = 3;

/// A picture of about the shape of real ones, though it means nothing: pieces that drop at every tick, and a tree as deep as
/// that of a thousand live allocations, in which nothing changes.
struct SamplePicture {
    std::vector<std::uint64_t> steps, sizes_bytes;
    std::vector<std::uint32_t> colours;
    Mesh mesh;
    StackIndex index;

    SamplePicture() : sizes_bytes(k_leaf_count, k_size_bytes), colours(k_leaf_count, 0xff808080) {
        for (std::uint32_t tick = 0; tick < k_tick_count; ++tick) steps.push_back(std::uint64_t{tick} * 4);
        make_mesh();
        make_index();
    }

    View view() const { return {0, static_cast<double>(steps.back()), 0, static_cast<double>(k_leaf_count * k_size_bytes)}; }

private:
    void make_mesh() {
        constexpr std::uint32_t k_piece_bits = 20;
        mesh.piece_bits = k_piece_bits;
        for (std::uint32_t piece = 0; piece < k_piece_count; ++piece) {
            mesh.pieces.push_back(piece);
            for (std::uint32_t tick = 0; tick < k_tick_count; ++tick) {
                const std::uint32_t flag = tick == 0 ? Record::k_start : tick + 1 == k_tick_count ? Record::k_end : 0;
                const auto low = static_cast<std::uint32_t>((piece + k_tick_count - tick) * k_size_bytes);
                mesh.records.push_back({flag | tick << k_piece_bits | piece, low});
            }
        }
        mesh.groups.resize(mesh.records.size() / k_group_records);
        mesh.chunks.push_back(
            {0, static_cast<std::uint32_t>(mesh.records.size()), 0, k_tick_count - 1, 0, k_leaf_count * k_size_bytes});
    }

    void make_index() {
        // Node i has the children 2 i + 1 and 2 i + 2; those beyond the nodes are leaves.
        for (std::uint32_t node = 0; node + 1 < k_leaf_count; ++node) {
            const auto child = [](std::uint32_t i) {
                return i + 1 < k_leaf_count ? i : StackIndex::k_leaf | (i + 1 - k_leaf_count);
            };
            std::uint64_t below = k_leaf_count;
            for (std::uint32_t i = node; i > 0; i = (i - 1) / 2) below /= 2;
            index.nodes.push_back({child(2 * node + 1), child(2 * node + 2), below / 2 * k_size_bytes});
        }
        index.changes.resize(k_tick_count, {0, StackIndex::k_empty, 0});
        index.versions.resize(k_tick_count / StackIndex::k_version_ticks + 1, {0, 0, k_leaf_count * k_size_bytes});
        index.peaks.push_back(0);
        index.peak_levels.push_back(0);
    }
};

template <typename Paint>
double shortest_ms(Paint paint) {
    double shortest = 0;
    for (int run = 0; run <= k_runs; ++run) {
        const auto began = std::chrono::steady_clock::now();
        paint();
        glFinish();
        const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
        if (run == 0) continue;  // the driver compiles its shaders for the first one
        shortest = run == 1 ? took : std::min(shortest, took);
    }
    return std::max(shortest, 1e-3);
}

}  // namespace

bool draws_from_mesh(Drawing wanted, const DrawingChoice& choice, const std::function<DrawingSpeed()>& speed) {
    if (!choice.has_mesh || !choice.has_index) return choice.has_mesh;
    if (wanted != Drawing::automatic) return wanted == Drawing::mesh;
    if (!choice.ticks_are_wide) return false;
    const DrawingSpeed driver = speed();
    const double mesh_ms = static_cast<double>(choice.mesh_vertices) / driver.mesh_vertices;
    const double index_ms = static_cast<double>(choice.pixels) / driver.index_pixels;
    return mesh_ms < index_ms;
}

DrawingSpeed measure_drawing_speed(MeshPainter& mesh_painter, StackPainter& stack_painter) {
    const gl::FramebufferBindingGuard guard;
    const Result<OffscreenFramebuffer> target = OffscreenFramebuffer::create(k_width_px, k_height_px);
    if (!target) return k_software_speed;
    target->bind();
    glViewport(0, 0, k_width_px, k_height_px);

    const SamplePicture sample;
    const TimelineTables tables(sample.steps, {}, sample.sizes_bytes);
    GpuMesh mesh;
    GpuStackIndex index;
    gl::Table steps, sizes, colours;
    gl::UploadQueue queue;
    Status status = mesh.upload(tables, sample.mesh, queue);
    if (status) status = index.upload(sample.index, queue);
    if (status) status = steps.upload("steps", sample.steps.data(), sample.steps.size(), gl::Texel::two_uints);
    if (status) status = sizes.upload("sizes", sample.sizes_bytes.data(), k_leaf_count, gl::Texel::two_uints);
    if (status) status = colours.upload("colours", sample.colours.data(), k_leaf_count, gl::Texel::one_uint);
    while (status && queue.waiting() > 0) status = queue.send(std::chrono::seconds(1));
    if (!status) return k_software_speed;

    const Scene scene{.ticks = steps,
                      .sizes = sizes,
                      .colours = colours,
                      .slide = slide_length(sample.mesh, Axis::steps),
                      .view = sample.view(),
                      .size_px = {k_width_px, k_height_px},
                      .ticks_are_wide = true,
                      .highlighted = AllocationId::none()};
    const VertexRanges& ranges = mesh.select(scene.view, Axis::steps);
    const double mesh_ms = shortest_ms([&] { mesh_painter.paint(mesh, ranges, scene); });
    const double index_ms = shortest_ms([&] { stack_painter.paint(index, scene); });
    return {static_cast<double>(ranges.total) / mesh_ms, k_width_px * k_height_px / index_ms};
}

bool is_software_driver() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string_view renderer = name != nullptr ? name : "";
    constexpr std::array<std::string_view, 5> k_on_cpu = {"llvmpipe", "softpipe", "swrast", "SWR", "SwiftShader"};
    return std::ranges::any_of(k_on_cpu, [&](std::string_view part) { return renderer.find(part) != renderer.npos; });
}

std::uint64_t mesh_budget_bytes(Drawing wanted, std::uint64_t set_bytes, bool is_software) {
    if (wanted == Drawing::mesh) return std::numeric_limits<std::uint64_t>::max();
    if (wanted == Drawing::index) return 0;
    if (set_bytes > 0) return set_bytes;
    return is_software ? MeshOptions{}.record_budget_bytes : std::uint64_t{1} << 30;
}

}  // namespace snapviewer
