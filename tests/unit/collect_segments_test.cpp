#include "core/timeline/collect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/context.h"
#include "core/timeline/overlays.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

struct Piece {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    Origin origin = Origin::alloc;
    std::uint32_t first_tick = 0;
    std::uint32_t last_tick = 0;
    bool operator==(const Piece&) const = default;
};

void PrintTo(const Piece& piece, std::ostream* out) {
    *out << std::hex << piece.address << "+" << piece.size_bytes << std::dec << " " << origin_name(piece.origin) << " "
         << piece.first_tick << ".." << piece.last_tick;
}

Timeline segments_of(const std::shared_ptr<const Snapshot>& snapshot) {
    return Timeline::build(snapshot, collect_segments(*snapshot, snapshot->devices[0]));
}

std::vector<Piece> pieces_of(const Timeline& timeline) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const AllocationId id{i};
        pieces.push_back({allocations.address[i], allocations.size_bytes[i], allocations.origin[i], timeline.first_tick(id),
                          timeline.last_tick(id)});
    }
    return pieces;
}

TEST(CollectSegments, FollowsMemoryVizWithoutMappings) {
    // Ticks: 1 reserves 0x5000, 2 releases 0x1000 (which existed before the recording), 3 releases 0x5000, 4 is the right
    // edge.
    const Timeline timeline = segments_of(TraceBuilder()
                                              .event(Action::segment_alloc, 0x5000, 0x200)
                                              .alloc(0x5000, 0x100)
                                              .event(Action::segment_free, 0x1000, 0x400)
                                              .event(Action::segment_free, 0x5000, 0x200)
                                              .segment(0x2000, {{0x800, BlockState::inactive}})
                                              .segment(0x3000, {{0x600, BlockState::active_allocated}})
                                              .build());
    // Segments that exist throughout are at the bottom, the last of the file lowest.
    EXPECT_EQ(pieces_of(timeline), (std::vector<Piece>{{0x3000, 0x600, Origin::standing, 0, 4},
                                                       {0x2000, 0x800, Origin::standing, 0, 4},
                                                       {0x1000, 0x400, Origin::freed, 0, 2},
                                                       {0x5000, 0x200, Origin::alloc, 1, 3}}));
    EXPECT_EQ(timeline.peak_bytes(), 0x600U + 0x800 + 0x400 + 0x200);
    EXPECT_EQ(timeline.trace().allocations.alloc_event[3], EventId{0}) << "events keep their numbers";
    EXPECT_EQ(timeline.trace().allocations.free_event[3], EventId{3});
}

TEST(CollectSegments, UnmappingAPartLeavesTheRest) {
    // Tick 1 maps 0x1000..0x4000; tick 2 unmaps 0x2000..0x3000, and the remainders on both sides begin at once (ticks 3 and
    // 4). The segments at the end of the file agree.
    TraceBuilder trace;
    trace.event(Action::segment_map, 0x1000, 0x3000)
        .event(Action::segment_unmap, 0x2000, 0x1000)
        .segment(0x1000, {{0x1000, BlockState::inactive}})
        .segment(0x3000, {{0x1000, BlockState::inactive}});
    for (Segment& segment : trace.raw().segments) segment.is_expandable = true;
    const Timeline timeline = segments_of(trace.build());
    EXPECT_EQ(pieces_of(timeline), (std::vector<Piece>{{0x1000, 0x3000, Origin::alloc, 1, 2},
                                                       {0x1000, 0x1000, Origin::alloc, 3, 5},
                                                       {0x3000, 0x1000, Origin::alloc, 4, 5}}));
}

TEST(CollectSegments, WhatWasMappedBeforeTheRecordingStandsInPieces) {
    // The final segment is 0x1000..0x5000. The trace maps 0x4000..0x5000, and it unmaps 0x5000..0x6000, which therefore
    // existed before, as did 0x1000..0x4000.
    TraceBuilder trace;
    trace.event(Action::segment_map, 0x4000, 0x1000)
        .event(Action::segment_unmap, 0x5000, 0x1000)
        .segment(0x1000, {{0x4000, BlockState::inactive}});
    trace.raw().segments.back().is_expandable = true;
    const Timeline timeline = segments_of(trace.build());
    EXPECT_EQ(pieces_of(timeline), (std::vector<Piece>{{0x1000, 0x3000, Origin::standing, 0, 3},
                                                       {0x5000, 0x1000, Origin::freed, 0, 2},
                                                       {0x4000, 0x1000, Origin::alloc, 1, 3}}));
}

TEST(CollectSegments, TotalIsWhatIsReservedOnRandomMappings) {
    // Maps and unmaps pages of a range at random and compares with a plain table of pages.
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
        TraceBuilder trace;
        std::vector<bool> mapped(64);
        for (std::size_t page = 0; page < mapped.size(); ++page) mapped[page] = random() % 2 == 0;
        const auto count = [&] { return static_cast<std::uint64_t>(std::count(mapped.begin(), mapped.end(), true)); };
        std::vector<std::uint64_t> expected{count()};
        for (int i = 0; i < 60; ++i) {
            const std::size_t first = random() % mapped.size();
            std::size_t last = first;
            while (last < mapped.size() && mapped[last] == mapped[first] && last - first < 9) ++last;
            trace.event(mapped[first] ? Action::segment_unmap : Action::segment_map, 4096 * first, 4096 * (last - first));
            for (std::size_t page = first; page < last; ++page) mapped[page] = !mapped[page];
            expected.push_back(count());
        }
        for (std::size_t page = 0; page < mapped.size(); ++page) {  // adds the final segments: runs of mapped pages
            if (!mapped[page] || (page > 0 && mapped[page - 1])) continue;
            std::size_t last = page;
            while (last < mapped.size() && mapped[last]) ++last;
            trace.segment(4096 * page, {{4096 * (last - page), BlockState::inactive}});
            trace.raw().segments.back().is_expandable = true;
        }
        const Timeline timeline = segments_of(trace.build());
        for (std::uint32_t events = 0; events < expected.size(); ++events) {
            // The last tick at which no more than this number of events has happened.
            std::uint32_t tick = timeline.tick_count() - 2;
            while (tick > 0 && timeline.tick_events()[tick] > events) --tick;
            ASSERT_EQ(timeline.total_after_tick(tick), 4096 * expected[events]) << round << " after " << events;
        }
    }
}

TEST(CollectSegments, CarriesTheOverlaysOfTheDevice) {
    const auto snapshot = TraceBuilder()
                              .event(Action::segment_alloc, 0x5000, 0x400)  // tick 1 of the segments, step 0
                              .alloc(0x5000, 0x100)
                              .event(Action::oom, 77, 0x800)
                              .event(Action::segment_free, 0x1000, 0x400)  // tick 2, step 2
                              .segment(0x5000, {{0x200, BlockState::active_allocated}, {0x200, BlockState::inactive}})
                              .build();
    const Timeline picture = segments_of(snapshot);
    const auto device = Timeline::build(snapshot, 0);
    const auto overlays = make_overlays(picture, device);
    ASSERT_EQ(overlays.curves.size(), 2U);
    EXPECT_EQ(overlays.curves[0].name(), "allocated");
    // The alloc is event 1, a third of the way from event 0 (step 0) to event 3 (step 2), because segments drop from step 2
    // on.
    EXPECT_EQ(overlays.curves[0].highest(), 0x100);
    EXPECT_NEAR(overlays.curves[0].place(1).step, 2.0 / 3, 1e-12);
    EXPECT_EQ(overlays.curves[1].highest(), 0x800);
    ASSERT_EQ(overlays.markers.size(), 2U);
    EXPECT_TRUE(marker_label(picture, overlays.markers[0]).ends_with(" 2.0 KiB")) << "of the picture";
    EXPECT_EQ(overlays.markers[1].kind, Marker::Kind::oom);
    // Live memory is the block at 0x5000 with 0x200 bytes. The segment that is freed later is idle: 0x400 bytes. The other
    // has a hole of 0x200.
    const MarkerFacts facts = marker_facts(device, picture, overlays.markers[1]);
    EXPECT_NE(std::ranges::find(facts, std::pair<std::string, std::string>{"largest hole", "1.0 KiB (1,024 bytes)"}),
              facts.end());
}

TEST(CollectSegments, StopsWhenAsked) {
    const auto snapshot = TraceBuilder().event(Action::segment_alloc, 0x5000, 512).build();
    Progress progress;
    progress.request_stop();
    const auto trace = caught(&progress, [&] { return collect_segments(*snapshot, snapshot->devices[0]); });
    ASSERT_FALSE(trace.ok());
    EXPECT_EQ(trace.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
