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

mesh::Mesh build(const Timeline& timeline) { return mesh::build_mesh(timeline); }

/// Reassembles the records of all chunks: the lower edge of each allocation, in units, as the shader draws it.
std::map<std::uint32_t, std::vector<PathPoint>> decode(const mesh::TriangleMesh& mesh, const Timeline& timeline) {
    const std::uint64_t slide = timeline.has_recorded_paths() ? 0 : Timeline::k_slide_steps;
    std::map<std::uint32_t, std::vector<PathPoint>> paths;
    for (const mesh::Chunk& chunk : mesh.chunks) {
        EXPECT_EQ(chunk.first_record % mesh::k_group_records, 0U);
        for (std::uint32_t i = chunk.first_record; i < chunk.first_record + chunk.record_count; ++i) {
            const mesh::Record record = mesh.records[i];
            const mesh::ChunkBase base = mesh.groups[i / mesh::k_group_records];
            const std::uint32_t place = record.place & ((1U << mesh::Record::k_place_bits) - 1);
            const std::uint32_t tick = base.first_tick + (place >> mesh.piece_bits);
            EXPECT_GE(tick, chunk.first_tick);
            EXPECT_LE(tick, chunk.last_tick);
            const std::uint32_t id = mesh.pieces[base.first_piece + (place & ((1U << mesh.piece_bits) - 1))];
            const std::uint64_t step = mesh.own_tick_steps.empty() ? timeline.step_of_tick(tick) : mesh.own_tick_steps[tick];
            std::vector<PathPoint>& path = paths[id];
            const bool continues = (record.place & mesh::Record::k_start) != 0 && !path.empty();
            if (continues) {
                EXPECT_EQ(path.back(), (PathPoint{step, record.low_units})) << "a piece begins where the one before ended";
                path.pop_back();
                if (!path.empty() && path.back() == PathPoint{step, record.low_units}) continue;
                if (slide > 0) continue;
            }
            const bool is_slide = slide > 0 && (record.place & (mesh::Record::k_start | mesh::Record::k_end)) == 0;
            if (is_slide) path.push_back({step, path.back().offset_bytes});
            path.push_back({step + (is_slide ? slide : 0), record.low_units});
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
    const mesh::Mesh mesh = build(timeline);
    ASSERT_FALSE(mesh.index);
    ASSERT_GT(mesh.triangles.chunks.size(), 2U);
    const auto paths = decode(mesh.triangles, timeline);
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

TEST_P(RandomMeshes, AreThePathsOfTheTimeline) {
    std::mt19937 random(GetParam());
    // The same recording with small sizes, and so large that the peak needs more than 32 bits.
    for (const std::uint32_t shift : {0U, 13U}) {
        auto snapshot = std::make_shared<Snapshot>(*random_trace(GetParam(), 6000, 40 * GetParam()));
        for (std::uint64_t& size : snapshot->devices[0].allocations.size_bytes) size = (size << shift) + random() % 1000;
        const Timeline timeline = lay_out(snapshot);
        const std::optional<mesh::TriangleMesh> mesh = mesh::build_triangle_mesh(timeline);
        ASSERT_TRUE(mesh);
        ASSERT_GT(mesh->chunks.size(), 2U);
        ASSERT_EQ(mesh->unit_shift > 0, timeline.peak_bytes() >> 32 != 0);
        EXPECT_LE((std::uint64_t{1} << mesh->unit_shift) >> 1, timeline.peak_bytes() >> 32);
        const auto paths = decode(*mesh, timeline);
        for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
            std::vector<PathPoint> expected = timeline.path(AllocationId{id});
            for (PathPoint& point : expected) point.offset_bytes >>= mesh->unit_shift;
            ASSERT_EQ(paths.at(id), expected) << id;
        }
    }
}

TEST_P(RandomMeshes, AreAsLargeAsCounted) {
    const Timeline timeline = lay_out(random_trace(GetParam(), 5000, 30 * GetParam() * GetParam()));
    const std::optional<mesh::TriangleMesh> mesh = mesh::build_triangle_mesh(timeline);
    const std::optional<mesh::MeshSize> size = mesh::mesh_size_of(timeline);
    ASSERT_TRUE(mesh && size);
    EXPECT_EQ(mesh->records.size(), size->records);
    EXPECT_EQ(mesh->pieces.size(), size->pieces);
    EXPECT_EQ(mesh->chunks.size(), size->chunks);
    EXPECT_EQ(mesh->memory_bytes(), size->memory_bytes());
    EXPECT_EQ(sizeof(mesh::Record), 8U);
}

TEST(TriangleMesh, HasAtMostEightMillionRecords) {
    // Of n allocations that are freed from the lowest up, the i-th free moves n - i others.
    const auto first_in_first_out = [](std::uint64_t count) {
        test::TraceBuilder trace;
        for (std::uint64_t i = 1; i <= count; ++i) trace.alloc(i << 20, 512);
        for (std::uint64_t i = 1; i <= count; ++i) trace.free(i << 20, 512);
        return lay_out(trace.build());
    };
    const auto fitting = mesh::build_triangle_mesh(first_in_first_out(2'500));
    ASSERT_TRUE(fitting);
    EXPECT_LE(fitting->records.size(), mesh::k_max_mesh_records);
    const Timeline large = first_in_first_out(4'100);
    EXPECT_GT(large.path_point_count() / 2, mesh::k_max_mesh_records);
    EXPECT_FALSE(mesh::build_triangle_mesh(large));
    const Timeline nearly = first_in_first_out(3'900);
    EXPECT_LT(nearly.path_point_count() / 2, mesh::k_max_mesh_records) << "only what chunks repeat is too much";
    EXPECT_FALSE(mesh::build_triangle_mesh(nearly));
    EXPECT_FALSE(mesh::mesh_size_of(nearly));
}

TEST(TriangleMesh, RoundsHeightsBeyondFourGibibytesToTheirUnit) {
    const std::uint64_t huge = std::uint64_t{1} << 40;
    const Timeline stacked = lay_out(test::TraceBuilder().alloc(1, huge + 3).alloc(2, 1).alloc(3, 5).build());
    for (const Timeline& timeline : {stacked, lay_out(test::as_polygons(stacked))}) {
        const mesh::TriangleMesh mesh =
            timeline.has_recorded_paths() ? build(timeline).triangles : *mesh::build_triangle_mesh(timeline);
        EXPECT_EQ(mesh.unit_shift, 9U) << "2^41 bytes by 2^32";
        std::map<std::uint32_t, std::uint64_t> lows;
        for (std::uint32_t i = 0; i < mesh.chunks.at(0).record_count; ++i)
            lows[mesh.pieces[mesh.records[i].place & ((1U << mesh.piece_bits) - 1)]] = mesh.records[i].low_units;
        EXPECT_EQ(lows, (std::map<std::uint32_t, std::uint64_t>{{0, 0}, {1, huge >> 9}, {2, huge >> 9}}));
    }
}

TEST(Mesh, StopsWhenAsked) {
    const Timeline stacked = lay_out(random_trace(1, 4000, 150));
    for (const Timeline& timeline : {stacked, lay_out(test::as_polygons(stacked))}) {
        Progress progress;
        progress.request_stop();
        const Result<mesh::Mesh> mesh = caught(&progress, [&] { return mesh::build_mesh(timeline); });
        ASSERT_FALSE(mesh.ok());
        EXPECT_EQ(mesh.error().code, ErrorCode::cancelled);
        if (timeline.has_recorded_paths()) continue;
        const auto triangles = caught(&progress, [&] { return mesh::build_triangle_mesh(timeline); });
        ASSERT_FALSE(triangles.ok());
        EXPECT_EQ(triangles.error().code, ErrorCode::cancelled);
    }
}

}  // namespace
}  // namespace snapviewer
