#include "core/load/pytorch/json_snapshot.h"

#include <gtest/gtest.h>

#include "core/load/bytes/sources.h"
#include "core/timeline/collect.h"
#include "core/timeline/overlays.h"
#include "tests/unit/json_pieces.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::Pieces;
using Points = std::vector<std::pair<std::int64_t, double>>;

std::unique_ptr<Snapshot> read_timeline(std::string_view text, std::size_t piece_size = 3) {
    Pieces pieces(text, piece_size);
    return pytorch::read_memory_timeline(pieces);
}

Points points_of(const Snapshot& snapshot, std::string_view name) {
    Points points;
    for (const Series& series : snapshot.devices.at(0).memory_series) {
        if (series.name != name) continue;
        for (std::size_t i = 0; i < series.values.size(); ++i) points.emplace_back(series.time_us[i], series.values[i]);
    }
    return points;
}

/// The place of the error in a text that must be refused.
std::optional<std::uint64_t> place_of_error(std::string_view text) {
    const auto read = caught([&] { read_timeline(text); });
    EXPECT_FALSE(read) << text;
    if (read) return std::nullopt;
    EXPECT_EQ(read.error().code, ErrorCode::bad_file) << text;
    return read.error().offset;
}

// Parameters of 100 bytes, and activations of 40 bytes that are allocated 5 us later and freed after another 5 us.
constexpr std::string_view k_totals =
    "[[10, 15, 20], [[0,100,0,0,0,0,0,0,0], [0,100,0,0,0,40,0,0,0], [0,100,0,0,0,0,0,0,0]]]";
constexpr std::string_view k_events = "[[-1,1,100,0], [10000,2,0,7], [15000,2,40,4], [20999,4,-40,4]]";

TEST(MemoryTimeline, HasTheSameCurvesInBothLayouts) {
    for (const std::string_view text : {k_totals, k_events}) {
        const auto snapshot = read_timeline(text);
        const DeviceTrace& trace = snapshot->devices.at(0);
        ASSERT_EQ(trace.memory_series.size(), 3U) << "categories that are always 0 are left out";
        EXPECT_EQ(points_of(*snapshot, "Parameter"), (Points{{10, 100}}));
        EXPECT_EQ(points_of(*snapshot, "Activation"), (Points{{10, 0}, {15, 40}, {20, 0}}));
        EXPECT_EQ(points_of(*snapshot, "Total"), (Points{{10, 100}, {15, 140}, {20, 100}}));
        EXPECT_EQ(trace.memory_series[0].shape, SeriesShape::stacked);
        EXPECT_EQ(trace.memory_series[0].id, "timeline_parameter");
        EXPECT_EQ(trace.memory_series[2].role, CurveRole::allocated);
        EXPECT_EQ(std::pair(trace.start_us, trace.end_us), (std::pair<std::int64_t, std::int64_t>(10, 20)));
        EXPECT_FALSE(trace.presentation.has_wall_clock) << "10 us after 1970 is no time of day";
        EXPECT_TRUE(snapshot->log.entries().empty());
    }
}

TEST(MemoryTimeline, IsStackedUpInThePicture) {
    std::shared_ptr<Snapshot> snapshot = read_timeline(k_totals);
    complete_snapshot(*snapshot);
    const Overlays made = make_overlays(test::lay_out(snapshot));
    EXPECT_FALSE(made.has_allocations);
    ASSERT_EQ(made.stack_tops.size(), 2U);
    const auto values = [](const Curve& curve) {
        std::vector<double> all;
        for (std::size_t i = 0; i < curve.size(); ++i) all.push_back(curve.value(i));
        return all;
    };
    EXPECT_EQ(values(made.stack_tops[0]), (std::vector<double>{100}));
    EXPECT_EQ(values(made.stack_tops[1]), (std::vector<double>{100, 140, 100})) << "what both come to";
    EXPECT_EQ(made.stack_tops[1].place(1).time_us, 5);
    EXPECT_EQ(made.curves[1].value(1), 40) << "while the curve itself is the category alone";
}

TEST(MemoryTimeline, IsToldByItsFirstBytes) {
    EXPECT_TRUE(pytorch::looks_like_memory_timeline(k_totals));
    EXPECT_TRUE(pytorch::looks_like_memory_timeline(" [\n [ -1"));
    EXPECT_TRUE(pytorch::looks_like_memory_timeline("\xEF\xBB\xBF[[\"17"));
    EXPECT_FALSE(pytorch::looks_like_memory_timeline("[[{\"action\""));
    EXPECT_FALSE(pytorch::looks_like_memory_timeline("[1, 2]"));
    EXPECT_FALSE(pytorch::looks_like_memory_timeline("[[]]"));
    EXPECT_TRUE(pytorch::looks_like_memory_timeline_page("<html>\n<head><title>GPU Memory Timeline HTML</title>"));
    EXPECT_FALSE(pytorch::looks_like_memory_timeline_page("<html>\n<head><title>Memory</title>"));
}

TEST(MemoryTimeline, SaysWhereItIsWrong) {
    EXPECT_EQ(place_of_error("[[1, 2], [[0, null]]]"), 18U);
    EXPECT_EQ(place_of_error("[[1, 2], {}]"), 10U);
    EXPECT_EQ(place_of_error("[[1, 2"), 6U);
}

}  // namespace
}  // namespace snapviewer
