#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "core/system/child_program.h"

namespace snapviewer {
namespace {

using Terminal = ChildProgram::Terminal;
using Stream = ChildProgram::Stream;

std::shared_ptr<ChildProgram> start(const std::vector<std::string>& words, std::string_view input = "") {
    std::error_code failed;
    auto program = ChildProgram::start(words, input, Terminal::none, failed);
    EXPECT_NE(program, nullptr) << failed.message();
    return program;
}

/// What it writes to standard output and standard error until both end.
std::pair<std::string, std::string> all_of(ChildProgram& program) {
    std::pair<std::string, std::string> texts;
    std::array<char, 256> room{};
    for (int ended = 0; ended < 2;) {
        const auto piece = program.read(room, std::chrono::milliseconds(50));
        if (!piece) continue;
        if (piece->size_bytes == 0) ++ended;
        (piece->stream == Stream::output ? texts.first : texts.second).append(room.data(), piece->size_bytes);
    }
    return texts;
}

TEST(ChildProgram, GivesWhatItWritesAndItsStatus) {
    const auto program = start({"cmd", "/c", "echo out& echo wrong>&2& exit 7"});
    EXPECT_EQ(all_of(*program), std::pair(std::string("out\r\n"), std::string("wrong\r\n")));
    EXPECT_EQ(program->wait(), 7);
    EXPECT_EQ(program->wait(), 7) << "asked again";
}

TEST(ChildProgram, ReadsItsInput) {
    const auto program = start({"cmd", "/c", "set /p line=& call echo %^line%"}, "from here\r\n");
    EXPECT_NE(all_of(*program).first.find("from here"), std::string::npos);
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
