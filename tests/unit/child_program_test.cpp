#include "core/base/child_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

namespace snapviewer {
namespace {

using Terminal = ChildProgram::Terminal;

std::string all_of(int descriptor) {
    std::string text;
    std::array<char, 256> piece{};
    for (ssize_t size = 0; (size = ::read(descriptor, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(size));
    return text;
}

TEST(ChildProgram, GivesWhatItWritesAndItsStatus) {
    const auto program =
        ChildProgram::start({"sh", "-s", "one", "two words"}, "echo $#:$2; echo wrong >&2; exit 7\n", Terminal::shared);
    ASSERT_TRUE(program) << program.error().text();
    EXPECT_EQ(all_of((*program)->output()), "2:two words\n");
    EXPECT_EQ(all_of((*program)->messages()), "wrong\n");
    EXPECT_EQ((*program)->wait(), 7);
    EXPECT_EQ((*program)->wait(), 7) << "asked again";
    (*program)->end();  // who has its number now gets no signal
}

TEST(ChildProgram, CanBeEnded) {
    const auto began = std::chrono::steady_clock::now();
    const auto program = ChildProgram::start({"sleep", "60"}, "", Terminal::none);
    ASSERT_TRUE(program) << program.error().text();
    (*program)->end();
    EXPECT_EQ((*program)->wait(), 128 + SIGTERM);
    EXPECT_EQ(all_of((*program)->output()), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST(ChildProgram, HasNoTerminalWhereItShallAskNobody) {
    for (const auto& [terminal, own] : {std::pair(Terminal::shared, "no"), std::pair(Terminal::none, "yes")}) {
        const auto program = ChildProgram::start(
            {"sh"}, "read -r _ _ _ _ _ session _ < /proc/self/stat; [ $session = $$ ] && echo yes || echo no\n", terminal);
        ASSERT_TRUE(program) << program.error().text();
        EXPECT_EQ(all_of((*program)->output()), own + std::string("\n")) << "a session of its own";
        EXPECT_EQ((*program)->wait(), 0);
    }
}

TEST(ChildProgram, ThatIsNotThere) {
    const auto program = ChildProgram::start({"no-such-program-anywhere"}, "", Terminal::shared);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::environment);
    EXPECT_EQ(program.error().message, "no-such-program-anywhere is not installed");
}

}  // namespace
}  // namespace snapviewer
