#include "core/fleet/fleet_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

std::vector<std::string> found_in(const TestFolder& folder, const std::vector<std::string>& paths) {
    Progress progress;
    const auto files = fleet::find_fleet_files(paths, "", progress);
    std::vector<std::string> names;
    if (!files) return {files.error().text()};
    for (const fleet::FleetFile& file : *files)
        names.push_back(file.path.substr(folder.file("").size()) + " " + std::to_string(file.name.rank.value_or(999)));
    return names;
}

TEST(FleetFiles, AreTheSnapshotsOfRanksAlone) {
    const TestFolder folder;
    std::filesystem::create_directory(folder.file("series"));
    for (const char* name :
         {"node_rank0_device0.pickle", "node_rank0_device0.about.json", "node_rank1_device0_oom1.pickle",
          "node_rank1_device0_oom1.about.json", "rank2.120.memory_snapshot", "notes.txt",
          "series/node_rank0_device0_series000001.pickle", "series/node_rank0_device0_series000001.about.json"})
        std::ofstream(folder.file(name)) << "x";
    EXPECT_EQ(found_in(folder, {folder.file("")}),
              (std::vector<std::string>{"node_rank0_device0.pickle 0", "node_rank1_device0_oom1.pickle 1",
                                        "rank2.120.memory_snapshot 2"}));
    EXPECT_EQ(found_in(folder, {folder.file("series/node_rank0_device0_series000001.pickle")}),
              (std::vector<std::string>{"series/node_rank0_device0_series000001.pickle 0"}))
        << "what is named is taken";
}

TEST(FleetFiles, OfOneProcessAreOneRankAtSeveralSteps) {
    const TestFolder folder;
    for (const char* name : {"a", "b", "c"}) std::filesystem::create_directory(folder.file(name));
    for (const char* name : {"a/mem-0.pkl", "a/mem-200.pkl", "a/mem-1000.pkl", "b/mem-0.pkl", "b/mem-1.pkl",
                             "b/mem-1000.pkl", "c/epoch_1.pkl", "c/epoch_2.pkl", "c/other.pkl"})
        std::ofstream(folder.file(name)) << "x";
    EXPECT_EQ(
        found_in(folder, {folder.file("")}),
        (std::vector<std::string>{"a/mem-0.pkl 0", "a/mem-200.pkl 0", "a/mem-1000.pkl 0", "b/mem-0.pkl 0", "b/mem-1.pkl 1",
                                  "b/mem-1000.pkl 1000", "c/epoch_1.pkl 0", "c/epoch_2.pkl 0", "c/other.pkl 2"}));
    Progress progress;
    const std::vector<std::string> paths = {folder.file("a"), folder.file("c")};
    const auto files = fleet::find_fleet_files(paths, "", progress);
    ASSERT_TRUE(files.ok());
    std::vector<std::string> runs;
    for (const fleet::FleetFile& file : *files) runs.push_back(file.run);
    EXPECT_EQ(runs, (std::vector<std::string>{"step 0", "step 200", "step 1000", "epoch_1", "epoch_2", "c"}));
}

}  // namespace
}  // namespace snapviewer
