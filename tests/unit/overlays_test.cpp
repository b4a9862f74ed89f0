#include "core/timeline/overlays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/timeline/curve.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::random_trace;
using test::TraceBuilder;

Overlays overlays_of(const std::shared_ptr<const Snapshot>& snapshot) { return make_overlays(test::lay_out(snapshot)); }

const Curve& curve_named(const Overlays& overlays, std::string_view name) {
    const auto at = std::ranges::find(overlays.curves, name, &Curve::name);
    EXPECT_NE(at, overlays.curves.end()) << name;
    return *at;
}

std::vector<double> values_of(const Curve& curve) {
    std::vector<double> values;
    for (std::size_t i = 0; i < curve.size(); ++i) values.push_back(curve.value(i));
    return values;
}
std::vector<AxisPlace> places_of(const Curve& curve) {
    std::vector<AxisPlace> places;
    for (std::size_t i = 0; i < curve.size(); ++i) places.push_back(curve.place(i));
    return places;
}

std::string fact(const Timeline& timeline, const Marker& marker, std::string_view name) {
    const MarkerFacts facts = marker_facts(timeline, timeline, marker);
    const auto at = std::ranges::find(facts, name, [](const auto& each) { return each.first; });
    return at == facts.end() ? "" : at->second;
}

std::vector<Marker> markers_of(const Overlays& overlays, Marker::Kind kind) {
    std::vector<Marker> out;
    std::ranges::copy_if(overlays.markers, std::back_inserter(out), [&](const Marker& each) { return each.kind == kind; });
    return out;
}

TEST(Overlays, AllocatedFollowsThePictureStepByStep) {
    // Events are 10 us apart, starting at 10 us; the picture begins with the first one. A arrives at step 0, B at step 1,
    // and A leaves in step 2: its free is complete at the third tick, 30 us in.
    const auto snapshot = TraceBuilder().alloc(1, 100).alloc(2, 30).free(1, 100).build();
    const Timeline timeline = test::lay_out(snapshot);
    const Overlays overlays = overlays_of(snapshot);
    ASSERT_EQ(overlays.curves.size(), 1U) << "nothing pending, no segments: one curve says it all";
    const Curve& curve = curve_named(overlays, "allocated");
    EXPECT_EQ(values_of(curve), (std::vector<double>{0, 100, 130, 30}));
    EXPECT_EQ(places_of(curve), (std::vector<AxisPlace>{{0, 0}, {0, 0}, {1, 10}, {3, 30}}));
    EXPECT_TRUE(overlays.pending.empty());
    ASSERT_EQ(overlays.markers.size(), 1U);
    EXPECT_EQ(overlays.markers[0].kind, Marker::Kind::peak);
    EXPECT_EQ(overlays.markers[0].place, (AxisPlace{1, 10}));
    EXPECT_EQ(overlays.markers[0].event, EventId{1});
    EXPECT_EQ(fact(timeline, overlays.markers[0], "total"), "130 bytes");
    EXPECT_EQ(fact(timeline, overlays.markers[0], "live allocations"), "2");
}

TEST(Overlays, NothingAllocatedHasNoPeak) {
    const Overlays overlays = overlays_of(TraceBuilder().build());
    EXPECT_FALSE(overlays.has_allocations);
    EXPECT_TRUE(overlays.markers.empty());
}

TEST(Overlays, PendingFreesAreKeptApart) {
    // A's free is requested at event 2 (20 us in) and completed at event 4; B is allocated and freed in between; C's free is
    // requested and never completed.
    const auto snapshot = TraceBuilder()
                              .alloc(0xa, 100)                          // event 0, tick 1, step 0
                              .alloc(0xc, 7)                            // event 1, tick 2, step 1
                              .event(Action::free_requested, 0xa, 100)  // event 2
                              .alloc(0xb, 50)                           // event 3, tick 3, step 2
                              .event(Action::free_completed, 0xa, 100)  // event 4, tick 4, step 4
                              .event(Action::free_requested, 0xc, 7)    // event 5
                              .free(0xb, 50)                            // events 6 and 7, tick 5, step 8
                              .build();
    const Overlays overlays = overlays_of(snapshot);
    ASSERT_EQ(overlays.pending.size(), 2U);
    EXPECT_EQ(overlays.pending[0].id, AllocationId{0});
    // Halfway between the ticks of events 1 and 3 (steps 1 and 2).
    EXPECT_EQ(overlays.pending[0].from, (AxisPlace{1.5, 20}));
    EXPECT_EQ(overlays.pending[0].to, (AxisPlace{4, 40}));
    EXPECT_EQ(overlays.pending[1].id, AllocationId{1});
    EXPECT_EQ(overlays.pending[1].from.time_us, 50);
    EXPECT_EQ(overlays.pending[1].to, (AxisPlace{8, 70})) << "never completed: to the right edge";

    EXPECT_EQ(values_of(curve_named(overlays, "active")), (std::vector<double>{0, 100, 107, 157, 57, 7}));
    // The request subtracts 100 at once; the completion then changes nothing.
    EXPECT_EQ(values_of(curve_named(overlays, "allocated")), (std::vector<double>{0, 100, 107, 7, 57, 50, 0}));
    EXPECT_EQ(curve_named(overlays, "allocated").place(3), (AxisPlace{1.5, 20}));
}

TEST(Overlays, PendingOnAnAddressUsedAgainBelongsToTheOlderAllocation) {
    const Overlays overlays = overlays_of(TraceBuilder()
                                              .alloc(0xa, 100)
                                              .event(Action::free_requested, 0xa, 100)
                                              .alloc(0xa, 60)  // The completion of the first block was lost.
                                              .free(0xa, 60)
                                              .build());
    ASSERT_EQ(overlays.pending.size(), 1U);
    EXPECT_EQ(overlays.pending[0].id, AllocationId{0});
    EXPECT_EQ(overlays.pending[0].from.time_us, 10);
}

TEST(Overlays, AllocatedCountsFromAllocToRequestOnRandomTraces) {
    std::mt19937 random(3);
    for (int round = 0; round < 10; ++round) {
        TraceBuilder trace;
        std::vector<std::uint64_t> open;
        std::vector<std::uint64_t> waiting;
        std::vector<double> expected{0};  // allocated bytes: from the alloc to the request to free
        double allocated = 0;
        for (int i = 0; i < 200; ++i) {
            const std::uint32_t choice = random() % 4;
            if (choice < 2 || (open.empty() && waiting.empty())) {
                const auto address = static_cast<std::uint64_t>(i + 1) << 20;
                trace.alloc(address, 10 + static_cast<std::uint64_t>(i));
                open.push_back(address);
                allocated += 10 + i;
            } else if (choice == 2 && !open.empty()) {
                const std::uint64_t address = open[random() % open.size()];
                std::erase(open, address);
                trace.event(Action::free_requested, address, 0);
                waiting.push_back(address);
                allocated -= static_cast<double>(10 + (address >> 20) - 1);
            } else if (!waiting.empty()) {
                const std::uint64_t address = waiting[random() % waiting.size()];
                std::erase(waiting, address);
                trace.event(Action::free_completed, address, 0);
            }
            if (expected.back() != allocated) expected.push_back(allocated);
        }
        const Overlays overlays = overlays_of(trace.build());
        const Curve& curve = curve_named(overlays, "allocated");
        EXPECT_EQ(values_of(curve), expected);
        EXPECT_TRUE(std::ranges::is_sorted(places_of(curve), {}, &AxisPlace::step));
        EXPECT_TRUE(std::ranges::is_sorted(places_of(curve), {}, &AxisPlace::time_us));
    }
}

TEST(Overlays, ARecordedSeriesLiesWhereEachOfItsMomentsDoes) {
    auto snapshot = std::make_shared<Snapshot>(*random_trace(5, 300, 20));
    DeviceTrace& device = snapshot->devices[0];
    const std::vector<std::int64_t>& events_us = device.events.time_us;
    Series series{"recorded", Unit::bytes, {}, {}};
    std::mt19937 random(7);
    // Values before the left edge, several at one moment, and values after the right edge.
    for (std::int64_t time_us = events_us.front() - 40; time_us < events_us.back() + 40;
         time_us += static_cast<std::int64_t>(random() % 8)) {
        series.time_us.push_back(time_us);
        series.values.push_back(static_cast<double>(random() % 100));
    }
    device.memory_series.push_back(series);

    const Timeline picture = test::lay_out(snapshot);
    const AxisPlaces places(picture);
    std::vector<AxisPlace> expected{places.left_edge()};
    for (const std::int64_t time_us : series.time_us) {
        if (time_us > picture.start_time_us() && time_us <= picture.start_time_us() + picture.tick_times_us().back())
            expected.push_back(places.of_time(time_us));
    }
    const Overlays overlays = overlays_of(snapshot);
    const Curve& curve = curve_named(overlays, "recorded");
    ASSERT_EQ(places_of(curve), expected);
    const auto last_before = std::ranges::upper_bound(series.time_us, picture.start_time_us()) - series.time_us.begin() - 1;
    EXPECT_EQ(values_of(curve),
              std::vector<double>(series.values.begin() + last_before,
                                  series.values.begin() + last_before + static_cast<std::ptrdiff_t>(expected.size())));
}

TEST(Overlays, ReservedIsUndoneFromTheSegmentsAtTheEnd) {
    // At the end 2048 bytes are reserved: 1024 fewer before event 2, and 512 more before event 3.
    const auto snapshot = TraceBuilder()
                              .alloc(0x1000, 512)                          // event 0, step 0
                              .alloc(0x1200, 512)                          // event 1, step 1
                              .event(Action::segment_alloc, 0x8000, 1024)  // event 2
                              .event(Action::segment_free, 0x9000, 512)    // event 3
                              .alloc(0x8000, 100)                          // event 4, step 2
                              .segment(0x1000, {{512, BlockState::active_allocated}, {512, BlockState::active_allocated}})
                              .segment(0x8000, {{512, BlockState::active_allocated}, {512, BlockState::inactive}})
                              .build();
    const Overlays overlays = overlays_of(snapshot);
    const Curve& curve = curve_named(overlays, "reserved");
    EXPECT_EQ(values_of(curve), (std::vector<double>{1536, 2560, 2048}));
    // Events 2 and 3 are a third and two thirds of the way from the tick of event 1 to that of event 4.
    EXPECT_DOUBLE_EQ(curve.place(1).step, 1 + 1.0 / 3);
    EXPECT_DOUBLE_EQ(curve.place(2).step, 1 + 2.0 / 3);
    EXPECT_EQ(curve.place(1).time_us, 20);
    EXPECT_TRUE(overlays.levels.empty()) << "no out of memory: the capacity is not known";
}

TEST(Overlays, NoReservedCurveWhereSegmentsContradictTheEvents) {
    const Overlays overlays = overlays_of(TraceBuilder()
                                              .event(Action::segment_alloc, 0x8000, 4096)
                                              .alloc(0x8000, 100)
                                              .segment(0x8000, {{512, BlockState::active_allocated}})
                                              .build());
    EXPECT_EQ(std::ranges::count(overlays.curves, "reserved", &Curve::name), 0);
}

TEST(Overlays, AMarkerTellsTheMomentBeforeAndAfterWhichNothingElseHappened) {
    // Memory runs out before the first allocation, at the peak of 130 bytes, and when 30 bytes are left.
    const Timeline timeline = test::lay_out(TraceBuilder()
                                                .event(Action::oom, 0, 1)
                                                .alloc(1, 100)
                                                .alloc(2, 30)
                                                .event(Action::oom, 0, 1)
                                                .free(1, 100)
                                                .event(Action::oom, 0, 1)
                                                .build());
    const Overlays overlays = make_overlays(timeline);
    std::vector<std::uint64_t> totals;
    for (const Marker& marker : overlays.markers)
        totals.push_back(timeline.total_after_tick(tick_of_marker(timeline, marker)));
    EXPECT_EQ(totals, (std::vector<std::uint64_t>{0, 130, 130, 30}));
}

TEST(Overlays, OutOfMemoryTellsWhatLayIdleAtThatMoment) {
    // Two segments: 0x10000 + 4096 and 0x20000 + 8192. Live at the oom (event 3): A (1000 bytes, but its final block has
    // 1024) at 0x10000, B (600 -> 1024, freed later) at 0x10800, and a block of 2048 bytes at 0x21000 that exists
    // throughout.
    //   first segment:  A 0x10000-0x10400, hole 0x10400-0x10800 (1024), B 0x10800-0x10c00, hole 0x10c00-0x11000 (1024)
    //   second segment: hole 0x20000-0x21000 (4096), standing 0x21000-0x21800, hole 0x21800-0x22000 (2048)
    // The third segment, 0x30000 + 2048, is reserved only afterwards.
    const auto snapshot =
        TraceBuilder()
            .alloc(0x10000, 1000)
            .alloc(0x10800, 600)
            .event(Action::snapshot, 0, 3648)
            .event(Action::oom, 5000, 1 << 20)  // the driver reports 5000 free bytes
            .free(0x10800, 600)
            .event(Action::segment_alloc, 0x30000, 2048)
            .alloc(0x30000, 2048)
            .segment(0x10000, {{1024, BlockState::active_allocated}, {3072, BlockState::inactive}})
            .segment(0x20000,
                     {{4096, BlockState::inactive}, {2048, BlockState::active_allocated}, {2048, BlockState::inactive}})
            .segment(0x30000, {{2048, BlockState::active_allocated}})
            .build();
    const Timeline timeline = test::lay_out(snapshot);
    const Overlays overlays = overlays_of(snapshot);
    const std::vector<Marker> ooms = markers_of(overlays, Marker::Kind::oom);
    ASSERT_EQ(ooms.size(), 1U);
    EXPECT_NE(marker_label(timeline, ooms[0]).find(" 1.0 MiB "), std::string::npos);
    EXPECT_EQ(ooms[0].event, EventId{3});
    EXPECT_EQ(ooms[0].place.time_us, 30);
    EXPECT_EQ(fact(timeline, ooms[0], "free on the driver"), "4.9 KiB (5,000 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "reserved"), "12.0 KiB (12,288 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "reserved but unused"), "8.0 KiB (8,192 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "largest hole"), "4.0 KiB (4,096 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "holes"), "4");
    ASSERT_EQ(overlays.levels.size(), 1U);
    EXPECT_EQ(overlays.levels[0].bytes, 12288 + 5000);
    const std::vector<Marker> snapshots = markers_of(overlays, Marker::Kind::snapshot);
    ASSERT_EQ(snapshots.size(), 1U);
    EXPECT_EQ(fact(timeline, snapshots[0], "active at that time"), "3.6 KiB (3,648 bytes)");
}

TEST(Overlays, HolesInExpandableSegmentsFollowTheirMappings) {
    // The final segment is 8192 bytes from 0x10000. Its second half was mapped after the oom, and 0x18000 + 1024 was
    // unmapped after it. So the oom saw 0x10000 + 4096, with A (512) at its start, and the empty 0x18000 + 1024.
    TraceBuilder trace;
    trace.alloc(0x10000, 512)
        .event(Action::oom, 0, 1 << 20)
        .event(Action::segment_unmap, 0x18000, 1024)
        .event(Action::segment_map, 0x11000, 4096)
        .segment(0x10000, {{512, BlockState::active_allocated}, {7680, BlockState::inactive}});
    trace.raw().segments.back().is_expandable = true;
    const auto snapshot = trace.build();
    const Timeline timeline = test::lay_out(snapshot);
    const std::vector<Marker> ooms = markers_of(overlays_of(snapshot), Marker::Kind::oom);
    ASSERT_EQ(ooms.size(), 1U);
    EXPECT_EQ(fact(timeline, ooms[0], "reserved"), "5.0 KiB (5,120 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "reserved but unused"), "4.5 KiB (4,608 bytes)");
    EXPECT_EQ(fact(timeline, ooms[0], "largest hole"), "3.5 KiB (3,584 bytes)");
}

TEST(Overlays, AnnotateEventsCarryTheirText) {
    TraceBuilder trace;
    trace.alloc(0x10, 5).event(Action::annotate, 0x10, 0);
    EventMetadata metadata;
    metadata.user_metadata = trace.text("kept for backward");
    const auto snapshot = trace.with_metadata(metadata).build();
    const Timeline timeline = test::lay_out(snapshot);
    const std::vector<Marker> notes = markers_of(overlays_of(snapshot), Marker::Kind::annotate);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(marker_label(timeline, notes[0]), "kept for backward");
    EXPECT_EQ(fact(timeline, notes[0], "block"), "0x10");
}

}  // namespace
}  // namespace snapviewer
