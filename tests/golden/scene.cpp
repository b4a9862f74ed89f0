#include "tests/golden/scene.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "render/gl/program.h"

namespace snapviewer::golden {

EventId SnapshotMaker::add_event(Action action, std::int64_t time_us) {
    EventColumns& events = trace_.events;
    events.push({.action = action, .time_us = time_us});
    return EventId{static_cast<std::uint32_t>(events.size() - 1)};
}

std::uint32_t SnapshotMaker::add_allocation(std::uint64_t size_bytes, EventId alloc_event) {
    AllocationColumns& allocations = trace_.allocations;
    const Origin origin = alloc_event.is_some() ? Origin::alloc : Origin::standing;
    allocations.push({.size_bytes = size_bytes, .origin = origin, .alloc_event = alloc_event});
    return static_cast<std::uint32_t>(allocations.size() - 1);
}

std::uint32_t SnapshotMaker::stands(std::uint64_t size_bytes) {
    ++trace_.initial_count;
    return add_allocation(size_bytes, EventId::none());
}

std::uint32_t SnapshotMaker::alloc(std::uint64_t size_bytes, std::int64_t time_us) {
    const std::uint32_t allocation = add_allocation(size_bytes, add_event(Action::alloc, time_us));
    trace_.actions.push_back(AllocationId{allocation});
    return allocation;
}

void SnapshotMaker::free(std::uint32_t allocation, std::int64_t time_us) {
    trace_.allocations.free_event[allocation] = add_event(Action::free_completed, time_us);
    trace_.allocations.state[allocation] = AllocationState::freed;
    trace_.actions.push_back(AllocationId{allocation});
}

Timeline SnapshotMaker::timeline() const {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->devices.push_back(trace_);
    return Timeline::build(std::move(snapshot), 0);
}

Timeline random_timeline(std::uint32_t seed, std::uint32_t action_count, std::uint64_t largest_bytes) {
    std::mt19937 random(seed);
    SnapshotMaker maker;
    std::vector<std::uint32_t> live;
    for (int i = 0; i < 3; ++i) live.push_back(maker.stands(largest_bytes / 3 + random() % 1000));
    for (std::uint32_t i = 0; i < action_count; ++i) {
        const std::int64_t time_us = 1'700'000'000'000'000 + static_cast<std::int64_t>(i * 50 + random() % 40);
        if (live.size() > 4 && random() % 100 < 46) {
            const std::size_t at = live.size() - 1 - std::min<std::size_t>(random() % live.size(), random() % live.size());
            maker.free(live[at], time_us);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            const double share = std::exp2(-8 * std::generate_canonical<double, 32>(random));
            live.push_back(maker.alloc(
                std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(largest_bytes))),
                time_us));
        }
    }
    return maker.timeline();
}

Timeline as_recorded_paths(const Timeline& timeline) {
    auto snapshot = std::make_shared<Snapshot>();
    DeviceTrace trace = timeline.trace();
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const std::vector<PathPoint> path = timeline.path(AllocationId{i});
        trace.recorded_paths.points.insert(trace.recorded_paths.points.end(), path.begin(), path.end());
        trace.recorded_paths.ends.push_back(trace.recorded_paths.points.size());
    }
    const std::span<const std::uint64_t> steps = timeline.tick_steps();
    trace.action_steps.assign(steps.begin() + 1, steps.end() - 1);
    trace.end_step = timeline.step_count();
    trace.events = {};
    snapshot->devices.push_back(std::move(trace));
    return Timeline::build(std::move(snapshot), 0);
}

std::vector<std::uint32_t> distinct_colours(std::size_t count) {
    constexpr std::uint32_t k_hues[] = {0xff3c78f0, 0xfff0783c, 0xff3cdc50, 0xffdc50dc, 0xff32c8e6, 0xffe6dc3c, 0xff6464f0};
    std::vector<std::uint32_t> colours;
    for (std::size_t i = 0; i < count; ++i) colours.push_back(k_hues[i % std::size(k_hues)]);
    return colours;
}

void PictureTest::SetUp() {
    auto context = OffscreenContext::create();
    if (!context) GTEST_SKIP() << context.error().text();
    context_.emplace(std::move(context).value());
    auto framebuffer = render::OffscreenFramebuffer::create(k_width_px, k_height_px);
    ASSERT_TRUE(framebuffer) << framebuffer.error().text();
    framebuffer_.emplace(std::move(framebuffer).value());
    auto renderer = render::TimelineRenderer::create();
    ASSERT_TRUE(renderer) << renderer.error().text();
    renderer_ = std::move(renderer).value();
}

void SoftwarePictureTest::SetUp() {
    PictureTest::SetUp();
    if (!IsSkipped() && !render::is_software_driver()) GTEST_SKIP() << "a graphics card draws everything always";
}

render::Image PictureTest::draw(const View& view, Axis axis, AllocationId highlighted) {
    framebuffer_->bind();
    renderer_->draw(view, axis, k_width_px, k_height_px, highlighted);
    return render::read_framebuffer(k_width_px, k_height_px);
}

Pixel pixel_at(const render::Image& image, int x, int y) {
    const std::uint8_t* rgba =
        image.rgba.data() + (static_cast<std::ptrdiff_t>(image.height_px - 1 - y) * image.width_px + x) * 4;
    return {rgba[0], rgba[1], rgba[2]};
}

bool shows(const Pixel& pixel, std::uint32_t colour) {
    const double full[] = {static_cast<double>(colour & 0xff), static_cast<double>(colour >> 8 & 0xff),
                           static_cast<double>(colour >> 16 & 0xff)};
    const double shade = (pixel.red + pixel.green + pixel.blue) / (full[0] + full[1] + full[2]);
    return shade > 0.68 && shade < 1.02 && std::abs(pixel.red - shade * full[0]) < 3 &&
           std::abs(pixel.green - shade * full[1]) < 3 && std::abs(pixel.blue - shade * full[2]) < 3;
}

}  // namespace snapviewer::golden
