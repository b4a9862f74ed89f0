#include "app/cli/arguments.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

using Words = std::vector<std::string>;

const std::vector<cli::RenamedOption> k_renamed_here = {
    {"", "fleets", "fleet", "1.1"}, {"fleet", "--write", "--db", "1.2"}, {"", "--gpu", "--device", "1.3"}};

Words with_new_names(Words words) {
    cli::use_new_names(words, k_renamed_here);
    return words;
}

TEST(RenamedOptions, OldNamesBecomeNewOnes) {
    EXPECT_EQ(with_new_names({"fleet", "job", "--write", "x.db"}), (Words{"fleet", "job", "--db", "x.db"}));
    EXPECT_EQ(with_new_names({"fleet", "--write=a=b"}), (Words{"fleet", "--db=a=b"}));
    EXPECT_EQ(with_new_names({"fleets", "--write", "x"}), (Words{"fleet", "--db", "x"}));
    EXPECT_EQ(with_new_names({"report", "--gpu", "1"}), (Words{"report", "--device", "1"}));
    EXPECT_EQ(with_new_names({"--gpu", "1"}), (Words{"--device", "1"}));
}

TEST(RenamedOptions, NothingElseIsChanged) {
    for (const Words& words :
         {Words{}, Words{"report", "--write", "x"}, Words{"fleet", "--writes"}, Words{"fleet", "write"},
          Words{"fleet", "--", "--write"}, Words{"open", "fleets"}, Words{"query", "f", "--limit=--gpu"}})
        EXPECT_EQ(with_new_names(words), words);
}

TEST(RenamedOptions, TheCommandRunsAndTheUserIsTold) {
    std::string path;
    cli::CommandLine line("A viewer", "snapviewer", [] { return std::string("1"); });
    line.command("fleet", "Ranks", [] { return 7; }).value("--db", path, "Where to");
    testing::internal::CaptureStderr();
    EXPECT_EQ(line.run({"fleet", "--write", "x.db"}, k_renamed_here), 7);
    EXPECT_EQ(path, "x.db");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "snapviewer: --write is called --db since version 1.2; the old name will go with the next major version\n");
}

}  // namespace
}  // namespace snapviewer
