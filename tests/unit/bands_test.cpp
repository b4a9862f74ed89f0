#include <gtest/gtest.h>

#include "core/timeline/overlays.h"
#include "core/trace/annotations.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

std::vector<BandTrack> tracks_of(const std::shared_ptr<const Snapshot>& snapshot) {
    return make_overlays(test::lay_out(snapshot)).band_tracks;
}

/// Three allocations, 10, 20 and 30 us after second 1: steps 0, 1 and 2. The right edge is at step 3, 20 us after the first.
TraceBuilder three_allocs() {
    TraceBuilder trace;
    trace.alloc(1, 10).alloc(2, 10).alloc(3, 10);
    return trace;
}

TEST(Bands, AreNestedByNameAndPlacedByTime) {
    const auto tracks = tracks_of(three_allocs()
                                      .annotation("outer", "START", 1'000'010)
                                      .annotation("inner", "START", 1'000'015)
                                      .annotation("inner", "END", 1'000'020)
                                      .annotation("inner", "START", 1'000'020)
                                      .annotation("inner", "END", 1'000'025)
                                      .annotation("outer", "END", 1'000'030)
                                      .build());
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_EQ(tracks[0].name, "annotations");
    EXPECT_EQ(tracks[0].note, "");
    EXPECT_EQ(tracks[0].level_count, 2U);
    ASSERT_EQ(tracks[0].bands.size(), 3U);
    const Band& outer = tracks[0].bands[0];
    EXPECT_EQ(outer.name, "outer");
    EXPECT_EQ(outer.from, (AxisPlace{0, 0}));
    EXPECT_EQ(outer.to, (AxisPlace{3, 20})) << "the last alloc and the right edge have one time; the later step holds";
    EXPECT_FALSE(outer.open_start || outer.open_end);
    const Band& first = tracks[0].bands[1];
    EXPECT_EQ(first.from, (AxisPlace{0.5, 5})) << "half way between the first two ticks on both axes";
    EXPECT_EQ(first.to, (AxisPlace{1, 10}));
    EXPECT_EQ(first.level, 1U);
    EXPECT_EQ(tracks[0].bands[2].level, 1U);
    EXPECT_EQ(tracks[0].bands[2].to, (AxisPlace{1.5, 15}));
}

TEST(Bands, WithoutOneEndReachTheEdge) {
    const auto tracks = tracks_of(three_allocs()
                                      .annotation("begun before", "END", 1'000'015)
                                      .annotation("never ended", "START", 1'000'020)
                                      .annotation("from long ago", "START", 5)
                                      .annotation("from long ago", "END", 1'000'020)
                                      .annotation("over before", "START", 5)
                                      .annotation("over before", "END", 6)
                                      .build());
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_TRUE(tracks[0].note.starts_with("1 ")) << tracks[0].note;
    ASSERT_EQ(tracks[0].bands.size(), 3U);
    EXPECT_EQ(tracks[0].bands[0].name, "from long ago") << "of two that begin together the longer one is outside";
    EXPECT_TRUE(tracks[0].bands[0].open_start);
    EXPECT_EQ(tracks[0].bands[1].name, "begun before");
    EXPECT_TRUE(tracks[0].bands[1].open_start);
    EXPECT_EQ(tracks[0].bands[1].level, 1U);
    EXPECT_EQ(tracks[0].bands[1].to, (AxisPlace{0.5, 5}));
    EXPECT_EQ(tracks[0].bands[2].name, "never ended");
    EXPECT_TRUE(tracks[0].bands[2].open_end);
    EXPECT_EQ(tracks[0].bands[2].to, (AxisPlace{3, 20}));
}

TEST(Bands, ProfilerStepsAreATrackOfTheirOwn) {
    const auto tracks = tracks_of(three_allocs()
                                      .annotation("ProfilerStep#1", "START", 1'000'010)
                                      .annotation("forward", "START", 1'000'012)
                                      .annotation("forward", "END", 1'000'014)
                                      .annotation("ProfilerStep#1", "END", 1'000'020)
                                      .build());
    ASSERT_EQ(tracks.size(), 2U);
    EXPECT_EQ(tracks[0].name, "profiler steps");
    EXPECT_EQ(tracks[0].bands[0].name, "ProfilerStep#1");
    EXPECT_EQ(tracks[1].name, "annotations");
    EXPECT_EQ(tracks[1].bands[0].level, 0U) << "outermost of its own track";
}

TEST(Bands, OfAFileWithoutTimesAreANote) {
    const auto tracks = tracks_of(
        three_allocs().without_times().annotation("a", "START", 1'000'010).annotation("a", "END", 1'000'012).build());
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_TRUE(tracks[0].bands.empty());
    EXPECT_TRUE(tracks[0].note.starts_with("1 ")) << tracks[0].note;
}

TEST(Bands, UserDefinedEventsArePlacedWithoutTimes) {
    TraceBuilder trace;
    const Frame start{trace.text("epoch"), trace.text("START"), 0};
    const Frame end{trace.text("epoch"), trace.text("END"), 0};
    trace.alloc(1, 10)
        .event(Action::user_defined, 0, 0)
        .with_stack({start})
        .alloc(2, 10)
        .event(Action::user_defined, 0, 0)
        .with_stack({end})
        .alloc(3, 10)
        .without_times();
    const auto tracks = tracks_of(trace.build());
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_EQ(tracks[0].name, "user ranges");
    ASSERT_EQ(tracks[0].bands.size(), 1U);
    EXPECT_EQ(tracks[0].bands[0].name, "epoch");
    EXPECT_EQ(tracks[0].bands[0].from, (AxisPlace{0.5, 0}));
    EXPECT_EQ(tracks[0].bands[0].to, (AxisPlace{1.5, 0}));
}

TEST(Ranges, AnEndBelongsToTheInnermostOpenStartOfItsName) {
    const StringId a{1}, b{2};
    EXPECT_EQ(pair_marks(std::vector<RangeMark>{{a, true}, {a, true}, {b, true}, {a, false}, {b, false}, {a, false}}),
              (std::vector<MarkPair>{{0, 5}, {1, 3}, {2, 4}}));
    EXPECT_EQ(pair_marks(std::vector<RangeMark>{{a, false}, {a, true}}),
              (std::vector<MarkPair>{{MarkPair::k_missing, 0}, {1, MarkPair::k_missing}}));
}

TEST(Ranges, LevelsOfOneRowNeverOverlap) {
    // The extent 0-10 contains 1-5 and 5-9; 6-12 overlaps them without nesting and needs another row.
    EXPECT_EQ(stacking_levels(std::vector<Extent>{{0, 10}, {1, 5}, {5, 9}, {6, 12}, {10, 11}}),
              (std::vector<std::uint32_t>{0, 1, 1, 2, 0}));
}

TEST(RecordedTracks, BecomeCurvesAndBandsAtTheirTimes) {
    TraceBuilder trace = three_allocs();
    DeviceTrace& device = trace.raw().devices[0];
    // The first two values lie before the picture begins; the last one lies after its end.
    device.memory_series.push_back(
        {"app reserved", Unit::bytes, {1, 1'000'000, 1'000'015, 1'000'020, 2'000'000}, {5, 6, 7, 8, 9}});
    device.tracks.push_back({"python gc", {}, {{"collect", 1'000'012, 1'000'014}}, ""});
    device.tracks.push_back({"bandwidth", {{"read", Unit::bytes_per_second, {1'000'020}, {3.5}}}, {}, ""});
    device.tracks.push_back({"nic", {}, {}, "all values are 0"});
    const auto snapshot = trace.build();
    const Timeline timeline = Timeline::build(snapshot, 0);
    const Overlays overlays = make_overlays(timeline);
    ASSERT_EQ(overlays.curves.size(), 1U) << "the file's own curves instead of derived ones";
    const Curve& reserved = overlays.curves[0];
    EXPECT_EQ((std::vector<double>{reserved.value(0), reserved.value(1), reserved.value(2)}),
              (std::vector<double>{6, 7, 8}));
    EXPECT_EQ(reserved.place(0), (AxisPlace{0, 0}));
    EXPECT_EQ(reserved.place(1), (AxisPlace{0.5, 5}));
    EXPECT_EQ(reserved.place(2), (AxisPlace{1, 10}));
    ASSERT_EQ(overlays.band_tracks.size(), 1U);
    EXPECT_EQ(overlays.band_tracks[0].bands[0].from.time_us, 2);
    ASSERT_EQ(overlays.curve_tracks.size(), 2U);
    EXPECT_EQ(overlays.curve_tracks[0].curves[0].unit(), Unit::bytes_per_second);
    EXPECT_EQ(overlays.curve_tracks[1].note, "all values are 0");
}

}  // namespace
}  // namespace snapviewer
