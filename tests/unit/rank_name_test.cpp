#include "core/fleet/rank_name.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace snapviewer {
namespace {

std::optional<std::uint32_t> rank_of(const char* path) { return rank_in_path(path).rank; }

TEST(RankName, InTheNameOfTheFile) {
    EXPECT_EQ(rank_of("rank7.pickle"), 7U);
    EXPECT_EQ(rank_of("rank_7.pickle"), 7U);
    EXPECT_EQ(rank_of("Rank-0012.pkl.gz"), 12U);
    EXPECT_EQ(rank_of("snapshot_oom_rank-7.pickle"), 7U);                 // Megatron
    EXPECT_EQ(rank_of("iteration_10/rank3_memory_snapshot.pickle"), 3U);  // torchtitan
    EXPECT_EQ(rank_of("memory_rank_1023_of_2048.json"), 1023U);
    EXPECT_EQ(rank_of("local_rank_1_global_rank_9.pickle"), 9U);
    EXPECT_EQ(rank_in_path("rank7.pickle").source, RankSource::file_name);
}

TEST(RankName, AtTheEndOfTheName) {
    EXPECT_EQ(rank_of("snapshot_7.pickle"), 7U);
    EXPECT_EQ(rank_of("mem-12.pkl"), 12U);
    EXPECT_EQ(rank_of("memory.3.pickle.gz"), 3U);
    EXPECT_EQ(rank_of("5.pickle"), 5U);
}

TEST(RankName, NumbersThatCountSomethingElse) {
    EXPECT_EQ(rank_of("snapshot.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("iteration_10.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("memory_step-300.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("snapshot_1760000000.pickle"), std::nullopt);  // a time
    EXPECT_EQ(rank_of("gpt2.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("torch-2.0-history.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("frank7.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("local_rank_2_of_node.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("ranks.pickle"), std::nullopt);
    EXPECT_EQ(rank_of(""), std::nullopt);
}

TEST(RankName, InTheNameOfAFolder) {
    EXPECT_EQ(rank_of("job/rank_7/snapshot.pickle"), 7U);
    EXPECT_EQ(rank_in_path("job/rank_7/snapshot.pickle").source, RankSource::folder_name);
    EXPECT_EQ(rank_of("rank_7/rank3.pickle"), 3U);
    EXPECT_EQ(rank_of("ranks_7_and_8/snapshot.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("rank_7_of_8/snapshot.pickle"), std::nullopt);
}

TEST(RankName, HostAndDeviceOfTheRecordersNames) {
    const RankName name = rank_in_path("out/Node1_rank7_device2_run2.pickle");
    EXPECT_EQ(name.rank, 7U);
    EXPECT_EQ(name.device, 2U);
    EXPECT_EQ(name.host, "Node1");
    EXPECT_EQ(rank_in_path("rank7_device2.pickle").host, "");
    EXPECT_EQ(rank_in_path("snapshot_rank7.pickle").host, "");
    EXPECT_EQ(rank_in_path("snapshot_rank7.pickle").device, std::nullopt);
}

TEST(RankName, FoldersOfIterations) {
    EXPECT_EQ(iteration_in_path("run/iteration_10/rank0.pickle"), "iteration_10");
    EXPECT_EQ(iteration_in_path("run/iteration_10_exit/rank0.pickle"), "iteration_10_exit");
    EXPECT_EQ(iteration_in_path("run/rank0_iteration_10.pickle"), "");
    EXPECT_EQ(iteration_in_path("iterations/rank0.pickle"), "");
}

TEST(RankName, WhatToldIsNamed) {
    for (const RankSource source : {RankSource::metadata, RankSource::file_name, RankSource::folder_name, RankSource::order})
        EXPECT_EQ(rank_source_named(rank_source_name(source)), source);
    EXPECT_EQ(rank_source_named("the weather"), std::nullopt);
}

}  // namespace
}  // namespace snapviewer
