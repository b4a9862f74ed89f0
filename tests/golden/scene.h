#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/system/offscreen_context.h"
#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"
#include "render/framebuffer.h"
#include "render/timeline_renderer.h"

namespace snapviewer::golden {

inline constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;

/// Builds a snapshot of one device by hand. An allocation is identified by its index, in the order of the calls.
class SnapshotMaker {
public:
    /// Adds an allocation from before the recording. Call it before any alloc().
    std::uint32_t stands(std::uint64_t size_bytes);
    std::uint32_t alloc(std::uint64_t size_bytes, std::int64_t time_us);
    void free(std::uint32_t allocation, std::int64_t time_us);
    Timeline timeline() const;

private:
    std::uint32_t add_allocation(std::uint64_t size_bytes, EventId alloc_event);
    EventId add_event(Action action, std::int64_t time_us);

    DeviceTrace trace_;
};

/// A random recording: allocations of very different sizes and lifetimes, many of them freed out of order.
Timeline random_timeline(std::uint32_t seed, std::uint32_t action_count, std::uint64_t largest_bytes);

/// The same recording in the form of a file with finished polygons instead of events.
Timeline as_recorded_paths(const Timeline& timeline);

/// Colours of which no two consecutive ones are shades of each other.
std::vector<std::uint32_t> distinct_colours(std::size_t count);

/// Fixture with a context, a framebuffer of 320 x 200 pixels and a renderer. Skips if no context can be created.
class PictureTest : public testing::Test {
protected:
    static constexpr int k_width_px = 320;
    static constexpr int k_height_px = 200;

    void SetUp() override;
    render::Image draw(const View& view, Axis axis = Axis::steps, AllocationId highlighted = AllocationId::none());

    std::optional<OffscreenContext> context_;
    std::optional<render::OffscreenFramebuffer> framebuffer_;
    std::unique_ptr<render::TimelineRenderer> renderer_;
};

/// Fixture for optimisations that only apply to software rasterizers. Skips with a graphics card.
class SoftwarePictureTest : public PictureTest {
protected:
    void SetUp() override;
};

struct Pixel {
    int red = 0, green = 0, blue = 0;
    bool operator==(const Pixel&) const = default;
};

/// Row 0 is at the bottom, as on the axis.
Pixel pixel_at(const render::Image& image, int x, int y);
/// True if a pixel has this colour, or its darker shade along an upper edge.
bool shows(const Pixel& pixel, std::uint32_t colour);
inline constexpr Pixel k_background{0x14, 0x17, 0x1c};

}  // namespace snapviewer::golden
