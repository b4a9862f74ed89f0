#include "core/mesh/mesh.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/context.h"
#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::lay_out;
using test::random_trace;

Mesh build(const Timeline& timeline) { return build_mesh(timeline); }

/// Reassembles the records of all chunks: the lower edge of each allocation as the shader would draw it.
std::map<std::uint32_t, std::vector<PathPoint>> decode(const Mesh& mesh, const Timeline& timeline) {
    std::map<std::uint32_t, std::vector<PathPoint>> paths;
    for (const Chunk& chunk : mesh.chunks) {
        EXPECT_EQ(chunk.first_record % k_group_records, 0U);
        for (std::uint32_t i = chunk.first_record; i < chunk.first_record + chunk.record_count; ++i) {
            const Record record = mesh.records[i];
            const ChunkBase base = mesh.groups[i / k_group_records];
            const std::uint32_t place = record.place & ((1U << Record::k_place_bits) - 1);
            const std::uint32_t tick = base.first_tick + (place >> mesh.piece_bits);
            const std::uint32_t id = mesh.pieces[base.first_piece + (place & ((1U << mesh.piece_bits) - 1))];
            const std::uint64_t step = mesh.own_tick_steps.empty() ? timeline.step_of_tick(tick) : mesh.own_tick_steps[tick];
            std::vector<PathPoint>& path = paths[id];
            const bool continues = (record.place & Record::k_start) != 0 && !path.empty();
            if (continues) {
                EXPECT_EQ(path.back(), (PathPoint{step, record.low})) << "a piece begins where the one before ended";
                path.pop_back();
                if (!path.empty() && path.back() == PathPoint{step, record.low}) continue;
            }
            path.push_back({step, record.low});
        }
    }
    return paths;
}

class RandomMeshes : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomMeshes, KeepRecordedPathsAsTheyAre) {
    // The same picture, given as finished polygons instead of events.
    const Timeline computed = lay_out(random_trace(GetParam(), 3000, 100));
    const Timeline timeline = lay_out(test::as_polygons(computed));
    EXPECT_EQ(timeline.peak_bytes(), computed.peak_bytes());
    const Mesh mesh = build(timeline);
    ASSERT_FALSE(mesh.index);
    ASSERT_GT(mesh.chunks.size(), 2U);
    const auto paths = decode(mesh, timeline);
    for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
        const std::vector<PathPoint> expected = computed.path(AllocationId{id});
        for (const PathPoint& point : paths.at(id)) {
            ASSERT_NEAR(static_cast<double>(point.offset_bytes), test::height_at(expected, static_cast<double>(point.step)),
                        1.0);
        }
        ASSERT_EQ(paths.at(id).front(), expected.front());
        ASSERT_EQ(paths.at(id).back(), expected.back());
    }
    std::mt19937 random(GetParam());
    for (int i = 0; i < 500; ++i) {
        const double x = std::uniform_real_distribution<double>(0, static_cast<double>(computed.step_count()))(random);
        const double y = std::uniform_real_distribution<double>(0, static_cast<double>(computed.peak_bytes()))(random);
        ASSERT_TRUE(test::is_same_place(timeline.pick(Axis::steps, x, y), computed.pick(Axis::steps, x, y), 1));
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMeshes, ::testing::Range(1U, 5U));

TEST(Mesh, IsExactInPicturesBeyondFourGibibytes) {
    const std::uint64_t huge = std::uint64_t{1} << 40;
    const Timeline timeline =
        lay_out(test::as_polygons(lay_out(test::TraceBuilder().alloc(1, huge + 3).alloc(2, 1).alloc(3, 5).build())));
    const Mesh mesh = build(timeline);
    ASSERT_EQ(mesh.high_words.size(), mesh.records.size());
    std::map<std::uint32_t, std::uint64_t> lows;
    for (std::uint32_t i = 0; i < mesh.chunks.at(0).record_count; ++i) {
        const std::uint32_t piece = mesh.records[i].place & ((1U << mesh.piece_bits) - 1);
        lows[mesh.pieces[piece]] = std::uint64_t{mesh.high_words[i]} << 32 | mesh.records[i].low;
    }
    EXPECT_EQ(lows, (std::map<std::uint32_t, std::uint64_t>{{0, 0}, {1, huge + 3}, {2, huge + 4}}));
}

TEST(Mesh, StopsWhenAsked) {
    const Timeline stacked = lay_out(random_trace(1, 4000, 150));
    for (const Timeline& timeline : {stacked, lay_out(test::as_polygons(stacked))}) {
        Progress progress;
        progress.request_stop();
        const Result<Mesh> mesh = caught(&progress, [&] { return build_mesh(timeline); });
        ASSERT_FALSE(mesh.ok());
        EXPECT_EQ(mesh.error().code, ErrorCode::cancelled);
    }
}

}  // namespace
}  // namespace snapviewer
