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
#include "render/image.h"
#include "render/offscreen_framebuffer.h"
#include "render/timeline_renderer.h"

namespace snapviewer::golden {

inline constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;

/// A snapshot of one device, made by hand: an allocation is an index, in the order of alloc().
class SnapshotMaker {
public:
    /// Allocated before the recording began; only before any alloc().
    std::uint32_t stands(std::uint64_t size_bytes);
    std::uint32_t alloc(std::uint64_t size_bytes, std::int64_t time_us);
    void free(std::uint32_t allocation, std::int64_t time_us);
    Timeline timeline() const;

private:
    std::uint32_t add_allocation(std::uint64_t size_bytes, EventId alloc_event);
    EventId add_event(Action action, std::int64_t time_us);

    DeviceTrace trace_;
};

/// A random run: allocations of very different sizes and lives, a good deal of them freed in the wrong order.
Timeline random_timeline(std::uint32_t seed, std::uint32_t action_count, std::uint64_t largest_bytes);

/// The same run as a file would carry it that holds finished polygons instead of events.
Timeline as_recorded_paths(const Timeline& timeline);

/// Colours of which no two nearby ones are shades of each other.
std::vector<std::uint32_t> distinct_colours(std::size_t count);

/// A context, a framebuffer of 320 x 200 and a renderer; skips where no context can be had.
class PictureTest : public testing::Test {
protected:
    static constexpr int k_width_px = 320;
    static constexpr int k_height_px = 200;

    void SetUp() override;
    Image draw(const View& view, Axis axis = Axis::steps, AllocationId highlighted = AllocationId::none());

    std::optional<OffscreenContext> context_;
    std::optional<OffscreenFramebuffer> framebuffer_;
    std::unique_ptr<TimelineRenderer> renderer_;
};

/// For what is spared where every pixel is work for a processor; skips on a graphics card.
class SoftwarePictureTest : public PictureTest {
protected:
    void SetUp() override;
};

struct Pixel {
    int red = 0, green = 0, blue = 0;
    bool operator==(const Pixel&) const = default;
};

/// Row 0 at the bottom, as on the axis.
Pixel pixel_at(const Image& image, int x, int y);
/// Whether a pixel shows this colour, as it is or as the darker line along an upper edge.
bool shows(const Pixel& pixel, std::uint32_t colour);
inline constexpr Pixel k_background{0x14, 0x17, 0x1c};

}  // namespace snapviewer::golden
