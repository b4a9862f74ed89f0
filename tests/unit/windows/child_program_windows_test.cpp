#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/child_output.h"

namespace snapviewer {
namespace {

using Terminal = ChildProgram::Terminal;

std::shared_ptr<ChildProgram> start(const std::vector<std::string>& words, std::string_view input = "") {
    std::error_code failed;
    auto program = ChildProgram::start(words, input, Terminal::none, failed);
    EXPECT_NE(program, nullptr) << failed.message();
    return program;
}

TEST(ChildProgram, GivesWhatItWritesAndItsStatus) {
    const auto program = start({"cmd", "/c", "echo out& echo wrong>&2& exit 7"});
    EXPECT_EQ(output_of(*program), std::pair(std::string("out\r\n"), std::string("wrong\r\n")));
    EXPECT_EQ(program->wait(), 7);
    EXPECT_EQ(program->wait(), 7) << "asked again";
}

TEST(ChildProgram, ReadsItsInput) {
    const auto program = start({"cmd", "/c", "set /p line=& call echo %^line%"}, "from here\r\n");
    EXPECT_NE(output_of(*program).first.find("from here"), std::string::npos);
    EXPECT_EQ(program->wait(), 0);
}

TEST(ChildProgram, CanBeEnded) {
    const auto program = start({"cmd", "/c", "pause"});
    EXPECT_FALSE(program->has_ended());
    program->end();
    EXPECT_EQ(program->wait(), 143);
    EXPECT_TRUE(program->has_ended());
}

TEST(ChildProgram, ThatIsNotThere) {
    std::error_code failed;
    EXPECT_EQ(ChildProgram::start({"snapviewer-no-such-program"}, "", Terminal::none, failed), nullptr);
    EXPECT_EQ(failed, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace snapviewer
