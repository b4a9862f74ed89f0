#include "core/fleet/fleet.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace snapviewer {
namespace {

std::optional<std::uint32_t> rank_of(const char* path) { return fleet::rank_in_path(path).rank; }

TEST(RankName, InTheNameOfTheFile) {
    EXPECT_EQ(rank_of("rank7.pickle"), 7U);
    EXPECT_EQ(rank_of("rank_7.pickle"), 7U);
    EXPECT_EQ(rank_of("Rank-0012.pkl.gz"), 12U);
    EXPECT_EQ(rank_of("snapshot_oom_rank-7.pickle"), 7U);                 // Megatron
    EXPECT_EQ(rank_of("iteration_10/rank3_memory_snapshot.pickle"), 3U);  // torchtitan
    EXPECT_EQ(rank_of("memory_rank_1023_of_2048.json"), 1023U);
    EXPECT_EQ(rank_of("local_rank_1_global_rank_9.pickle"), 9U);
    EXPECT_EQ(fleet::rank_in_path("rank7.pickle").source, fleet::RankSource::file_name);
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
    EXPECT_EQ(rank_of("snapshot_1760000000.pickle"), std::nullopt);  // a time stamp
    EXPECT_EQ(rank_of("gpt2.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("torch-2.0-history.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("frank7.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("local_rank_2_of_node.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("ranks.pickle"), std::nullopt);
    EXPECT_EQ(rank_of(""), std::nullopt);
}

TEST(RankName, StepsInTheNameOfTheFile) {
    EXPECT_EQ(fleet::rank_in_path("iteration_10.pickle").step, 10U);
    EXPECT_EQ(fleet::rank_in_path("memory_step-300.pickle.gz").step, 300U);
    EXPECT_EQ(fleet::rank_in_path("rank3_epoch7.pickle").step, 7U);
    EXPECT_EQ(fleet::rank_in_path("rank3_epoch7.pickle").rank, 3U);
    EXPECT_EQ(fleet::rank_in_path("step_3_of_9.pickle").step, std::nullopt);
    EXPECT_EQ(fleet::rank_in_path("snapshot_7.pickle").step, std::nullopt);
    EXPECT_EQ(fleet::rank_in_path("snapshot_7.pickle").before_number, "snapshot_");
    EXPECT_EQ(fleet::rank_in_path("7.pickle").before_number, "");
    EXPECT_EQ(fleet::rank_in_path("rank7.pickle").before_number, std::nullopt);
}

TEST(RankName, NumbersThatLeaveOutMostAreSteps) {
    for (const std::vector<std::uint32_t>& steps : {std::vector<std::uint32_t>{0, 100, 200, 300, 1000, 2000},
                                                    {2000, 0, 500},
                                                    {99, 199, 299},
                                                    {10, 20, 30, 50},
                                                    {1, 10, 100},
                                                    {0, 256, 512},
                                                    {128, 256, 512, 1024},
                                                    {49, 99, 499, 999}})
        EXPECT_TRUE(fleet::are_steps(steps)) << steps.front() << " " << steps.back();
    for (const std::vector<std::uint32_t>& ranks : {std::vector<std::uint32_t>{0, 1, 2, 3},
                                                    {0, 8, 16, 24},
                                                    {0, 4, 8, 12, 16},
                                                    {3, 17, 42},
                                                    {0, 100},
                                                    {100, 100, 200},
                                                    {0, 72, 144},
                                                    {5, 6, 7},
                                                    {0, 5, 10},
                                                    {1023},
                                                    {},
                                                    {0, 1, 2, 3, 4, 5, 6, 7, 64, 65, 66, 67}})
        EXPECT_FALSE(fleet::are_steps(ranks)) << (ranks.empty() ? 0 : ranks.back());
}

TEST(RankName, InTheNameOfAFolder) {
    EXPECT_EQ(rank_of("job/rank_7/snapshot.pickle"), 7U);
    EXPECT_EQ(fleet::rank_in_path("job/rank_7/snapshot.pickle").source, fleet::RankSource::folder_name);
    EXPECT_EQ(rank_of("rank_7/rank3.pickle"), 3U);
    EXPECT_EQ(rank_of("ranks_7_and_8/snapshot.pickle"), std::nullopt);
    EXPECT_EQ(rank_of("rank_7_of_8/snapshot.pickle"), std::nullopt);
}

TEST(RankName, HostAndDeviceOfTheRecordersNames) {
    const fleet::RankName name = fleet::rank_in_path("out/Node1_rank7_device2_run2.pickle");
    EXPECT_EQ(name.rank, 7U);
    EXPECT_EQ(name.device, 2U);
    EXPECT_EQ(name.host, "Node1");
    EXPECT_EQ(fleet::rank_in_path("rank7_device2.pickle").host, "");
    EXPECT_EQ(fleet::rank_in_path("snapshot_rank7.pickle").host, "");
    EXPECT_EQ(fleet::rank_in_path("snapshot_rank7.pickle").device, std::nullopt);
}

TEST(RankName, FoldersOfMoments) {
    EXPECT_EQ(fleet::moment_in_path("run/iteration_10/rank0.pickle"), "iteration_10");
    EXPECT_EQ(fleet::moment_in_path("run/iteration_10_exit/rank0.pickle"), "iteration_10_exit");
    EXPECT_EQ(fleet::moment_in_path("run/rank0_iteration_10.pickle"), "iteration_10");
    EXPECT_EQ(fleet::moment_in_path("run/iteration_10/rank0_step_3.pickle"), "iteration_10");
    EXPECT_EQ(fleet::moment_in_path("run/step_3_rank0.pickle"), "");
    EXPECT_EQ(fleet::moment_in_path("iterations/rank0.pickle"), "");
    EXPECT_EQ(fleet::moment_in_path("2026/rank0.pickle"), "");
    EXPECT_EQ(fleet::moment_in_path("20261126/rank0.pickle"), "");
    EXPECT_EQ(fleet::moment_in_path("oom_traces/rank0.pickle"), "");
}

/// File names of frameworks in November 2026, with their rank and moment.
TEST(RankName, OfFrameworks) {
    struct Row {
        const char* path;
        std::optional<std::uint32_t> rank;
        const char* moment;
    };
    const Row rows[] = {
        {"memory_snapshot/iteration_300/rank3_memory_snapshot.pickle", 3U, "iteration_300"},  // torchtitan
        {"memory_snapshot/step_000000000300/000007_step_300.pickle", 7U, "step_000000000300"},
        {"memory_snapshot/step_000000000299_exit/000000_step_299.pickle", 0U, "step_000000000299_exit"},
        {"snapshot_oom_rank-12.pickle", 12U, ""},  // Megatron-Bridge
        {"snapshot_12.pickle", 12U, ""},
        {"oom_rank-12_snapshot.pickle", 12U, ""},            // Megatron-LM
        {"torch_traces/rank5.120.memory_snapshot", 5U, ""},  // Composer
        {"torch_traces/rank5.120.memory_snapshot.pickle", 5U, ""},
        {"torch_traces/rank5_oom_snapshot.pickle", 5U, ""},
        {"oom_rank6.pickle", 6U, ""},  // lmms-engine
        {"snapshot_oom_observer_rank6_pid4242_1760000000.pickle", 6U, ""},
        {"oom_20261126-171636-250000/torch_memory_oom_rank7_pid4242.pickle", 7U, "oom_20261126-171636-250000"},  // verl
        {"oom_1760000000/snapshot_rank7.pickle", 7U, "oom_1760000000"},
        {"20261126-1716/periodic_rank7_pid4242.pickle", 7U, "20261126-1716"},
        {"snapshot_2026-11-26-17-16_3.pickle", 3U, ""},       // MindSpeed-MM
        {"1760000000.25-TP-3-memory-DECODE.pickle", 3U, ""},  // SGLang
        {"llama_tp8.pickle", std::nullopt, ""},               // the number of ranks
    };
    for (const Row& row : rows) {
        EXPECT_EQ(rank_of(row.path), row.rank) << row.path;
        EXPECT_EQ(fleet::moment_in_path(row.path), row.moment) << row.path;
        EXPECT_FALSE(fleet::is_not_of_rank(row.path)) << row.path;
    }
}

TEST(RankName, OfTheRecorder) {
    const auto is_rank_7 = [](const char* path) {
        const fleet::RankName name = fleet::rank_in_path(path);
        return name.rank == 7U && name.device == 2U && name.host == "node-1.example";
    };
    struct Row {
        const char* path;
        const char* moment;
        bool is_not_of_rank;
    };
    const Row rows[] = {
        {"out/node-1.example_rank7_device2.pickle", "", false},
        {"out/node-1.example_rank7_device2_oom1.pickle", "", false},
        {"out/node-1.example_rank7_device2_time12_run2.pickle", "time12", false},
        {"out/node-1.example_rank7_device2_signal1.pickle", "signal1", false},
        {"out/series/node-1.example_rank7_device2_series000012.pickle", "", true},
        {"out/series/node-1.example_rank7_device2_series000012_run3.pickle", "", true},
        {"out/node-1.example_rank7_device2_oom1.about.json", "", true},
        {"out/node-1.example_rank7_device2_failed.about.json", "", true},
    };
    for (const Row& row : rows) {
        EXPECT_TRUE(is_rank_7(row.path)) << row.path;
        EXPECT_EQ(fleet::moment_in_path(row.path), row.moment) << row.path;
        EXPECT_EQ(fleet::is_not_of_rank(row.path), row.is_not_of_rank) << row.path;
    }
    EXPECT_FALSE(fleet::is_not_of_rank("rank7_series.pickle"));
    EXPECT_FALSE(fleet::is_not_of_rank("time_series_3.json"));
}

TEST(RankName, WhatToldIsNamed) {
    for (const fleet::RankSource source : {fleet::RankSource::metadata, fleet::RankSource::file_name,
                                           fleet::RankSource::folder_name, fleet::RankSource::order})
        EXPECT_EQ(fleet::rank_source_named(fleet::rank_source_name(source)), source);
    EXPECT_EQ(fleet::rank_source_named("the weather"), std::nullopt);
}

}  // namespace
}  // namespace snapviewer
