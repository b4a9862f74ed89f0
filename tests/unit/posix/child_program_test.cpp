#include "core/system/processes.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include "tests/unit/child_output.h"

namespace snapviewer {
namespace {

using Terminal = ChildProgram::Terminal;

constexpr std::chrono::milliseconds k_while{50};

std::shared_ptr<ChildProgram> start(const std::vector<std::string>& words, std::string_view input,
                                    Terminal terminal = Terminal::shared) {
    std::error_code failed;
    auto program = ChildProgram::start(words, input, terminal, failed);
    EXPECT_NE(program, nullptr) << failed.message();
    return program;
}

TEST(ChildProgram, GivesWhatItWritesAndItsStatus) {
    const auto program = start({"sh", "-s", "one", "two words"}, "echo $#:$2; echo wrong >&2; exit 7\n");
    EXPECT_EQ(output_of(*program), std::pair(std::string("2:two words\n"), std::string("wrong\n")));
    EXPECT_EQ(program->wait(), 7);
    EXPECT_EQ(program->wait(), 7) << "asked again";
    program->end();  // must not signal another process that has reused the id
}

TEST(ChildProgram, CanBeEnded) {
    const auto began = std::chrono::steady_clock::now();
    const auto program = start({"sleep", "60"}, "", Terminal::none);
    std::array<char, 16> room{};
    EXPECT_FALSE(program->read(room, k_while)) << "it says nothing";
    EXPECT_FALSE(program->has_ended());
    program->end();
    EXPECT_EQ(program->wait(), 128 + SIGTERM);
    EXPECT_TRUE(program->has_ended());
    EXPECT_EQ(output_of(*program).first, "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST(ChildProgram, HasNoTerminalWhereItShallAskNobody) {
    const std::string asks = "read -r _ _ _ _ _ session _ < /proc/self/stat; [ $session = $$ ] && echo yes || echo no\n";
    EXPECT_EQ(output_of(*start({"sh"}, asks, Terminal::shared)).first, "no\n") << "a session of its own";
    EXPECT_EQ(output_of(*start({"sh"}, asks, Terminal::none)).first, "yes\n");
}

TEST(ChildProgram, ThatIsNotThere) {
    std::error_code failed;
    EXPECT_EQ(ChildProgram::start({"no-such-program-anywhere"}, "", Terminal::shared, failed), nullptr);
    EXPECT_EQ(failed, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace snapviewer
