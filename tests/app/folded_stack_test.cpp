#include "app/features/details/stacks.h"

#include <gtest/gtest.h>

#include "app/features/details/source.h"

namespace snapviewer {
namespace {

constexpr const char* k_rules = "fold <interpreter>\nfold <framework>\n";

StackLine line_at(const std::string& file, std::uint32_t line, const std::string& function, bool is_own) {
    StackLine made;
    made.function = function;
    made.file = file;
    made.line = line;
    made.full_text = file + ":" + std::to_string(line) + ":" + function;
    made.kind = is_own ? FrameKind::user : FrameKind::framework;
    return made;
}

StackLine own(std::uint32_t line, const std::string& function) { return line_at("/me/model.py", line, function, true); }
StackLine installed(const std::string& function) {
    return line_at("/lib/site-packages/torch/module.py", 7, function, false);
}

/// Describes a folded stack: "own(1) own(2)" with numbers of lines, "[2]" for two folded frames, "3x(" for a part that
/// repeats three times.
std::string as_text(const std::vector<StackLine>& lines, const details::FoldedStack& folded) {
    std::string text;
    for (const details::StackPart& part : folded.parts) {
        if (part.times > 1) text += std::to_string(part.times) + "x(";
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const details::StackItem& item = folded.items[i];
            text += item.is_folded ? "[" + std::to_string(item.end - item.begin) + "]" : lines[item.begin].function;
            text += " ";
        }
        if (part.times > 1) text += ")";
    }
    return text;
}

std::string folded_text(const std::vector<StackLine>& lines, const std::string& rules = k_rules) {
    return as_text(lines, details::fold_stack(lines, details::FrameRules::parse(rules).value()));
}

TEST(FoldedStack, RunsOfOtherPeoplesFramesAreOneItem) {
    EXPECT_EQ(folded_text({installed("empty"), installed("linear"), own(4, "block"), installed("_call"), own(9, "main")}),
              "[2] block [1] main ");
    EXPECT_EQ(folded_text({}), "");
}

TEST(FoldedStack, AStackOfOtherPeoplesFramesAloneIsNotFolded) {
    EXPECT_EQ(folded_text({installed("a"), installed("b")}), "a b ");
}

TEST(FoldedStack, WhatRepeatsStandsOnce) {
    EXPECT_EQ(folded_text({own(1, "leaf"), own(2, "walk"), own(2, "walk"), own(2, "walk"), own(3, "main")}),
              "leaf 3x(walk )main ");
    const StackLine call = installed("_call");
    EXPECT_EQ(folded_text({own(1, "leaf"), own(2, "f"), call, own(2, "f"), call, own(2, "f"), call, own(3, "main")}),
              "leaf 3x(f [1] )main ");
}

TEST(FoldedStack, ANestedCycleIsCountedByWhatCoversMost) {
    // The stack a a b a a b is twice (a a b), and not twice a and the rest.
    EXPECT_EQ(folded_text({own(1, "a"), own(1, "a"), own(2, "b"), own(1, "a"), own(1, "a"), own(2, "b")}), "2x(a a b )");
}

TEST(FoldedStack, TheSameFunctionAtAnotherLineIsNoRepeat) {
    EXPECT_EQ(folded_text({own(1, "f"), own(2, "f"), own(3, "main")}), "f f main ");
}

TEST(FoldedStack, PartsAndItemsCoverEveryFrameOnce) {
    std::vector<StackLine> lines;
    for (std::uint32_t i = 0; i < 300; ++i) lines.push_back(i * i % 7 < 3 ? installed("x") : own(i * i % 5, "f"));
    const details::FoldedStack folded = details::fold_stack(lines, details::FrameRules::parse(k_rules).value());
    std::size_t items = 0, frames = 0;
    for (const details::StackPart& part : folded.parts) {
        EXPECT_EQ(part.begin, items);
        items += (part.end - part.begin) * part.times;
    }
    EXPECT_EQ(items, folded.items.size());
    for (const details::StackItem& item : folded.items) {
        EXPECT_EQ(item.begin, frames);
        frames = item.end;
    }
    EXPECT_EQ(frames, lines.size());
}

TEST(FrameRules, WhatIsImportantIsNeverFoldedAndStandsAbove) {
    std::vector<StackLine> lines = {installed("empty"), installed("linear"), own(4, "block"), own(9, "main")};
    lines[2].kind = FrameKind::top_user;
    const std::string rules = std::string("important module\\.py:\\d+:LIN\n") + k_rules;
    const details::FoldedStack folded = details::fold_stack(lines, details::FrameRules::parse(rules).value());
    EXPECT_EQ(as_text(lines, folded), "[1] linear block main ");
    EXPECT_EQ(folded.headline, 1U);
    EXPECT_EQ(details::fold_stack(lines, details::FrameRules::parse(k_rules).value()).headline, 2U);
}

TEST(FrameRules, AreReadLineByLine) {
    const std::vector<StackLine> lines = {installed("empty"), own(4, "block"), own(9, "main")};
    EXPECT_EQ(folded_text(lines, ""), "empty block main ");
    EXPECT_EQ(folded_text(lines, "# the program's own\n\n  fold  :4:BLOCK$ \n"), "empty [1] main ");
    EXPECT_EQ(details::FrameRules::parse("fold a\nhide b").error().text(),
              "Line 2 must begin with \"fold\" or \"important\"");
    EXPECT_FALSE(details::FrameRules::parse("fold"));
    EXPECT_FALSE(details::FrameRules::parse("fold (")) << "no regular expression";
    EXPECT_FALSE(details::FrameRules::parse(std::string("fold ") + std::string(5000, 'a')));
}

TEST(FrameRules, TheInterpretersAreThoseThatPyTorchsViewerHides) {
    const std::vector<StackLine> lines = {line_at("??", 0, "torch::unwind::unwind()", false),
                                          line_at("/src/Objects/call.c", 3, "PyObject_Call", false),
                                          line_at("??", 0, "at::empty()", false), own(4, "block")};
    EXPECT_EQ(folded_text(lines, "fold <interpreter>"), "[2] at::empty() block ");
}

TEST(SourcePlaces, TheFirstFolderThatFitsLeadsHere) {
    const details::PathMap map = details::PathMap::parse("/workspace/mini=/home/me/mini\n\n /workspace/ = /src/ \n").value();
    EXPECT_EQ(map.here("/workspace/mini/train.py"), "/home/me/mini/train.py");
    EXPECT_EQ(map.here("/workspace/minigpt/train.py"), "/src/minigpt/train.py") << "a folder, not the beginning of a name";
    EXPECT_EQ(map.here("/elsewhere/train.py"), "/elsewhere/train.py");
    EXPECT_EQ(details::PathMap::parse("/=/mnt/root").value().here("/a/b.py"), "/mnt/root/a/b.py");
    EXPECT_FALSE(details::PathMap::parse("workspace"));
    EXPECT_FALSE(details::PathMap::parse("/workspace=relative"));
    EXPECT_FALSE(details::PathMap::parse("=/a"));
}

TEST(SourcePlaces, FoldersAreNamedAloneOrAsWhereOthersLie) {
    const details::PathMap map = details::PathMap::parse("/home/me/src/\n/workspace=/mnt/code\n").value();
    EXPECT_EQ(map.roots(), (std::vector<std::string>{"/home/me/src", "/mnt/code"}));
    EXPECT_EQ(map.here("/home/me/src/a.py"), "/home/me/src/a.py");
    EXPECT_TRUE(details::is_below("/mnt/code/a.py", "/mnt/code"));
    EXPECT_FALSE(details::is_below("/mnt/codebase/a.py", "/mnt/code"));
}

TEST(SourcePlaces, OnlySourcesAreLookedAt) {
    for (const char* path : {"/home/me/train.py", "/src/kernel.cu", "/home/me/../x.py", "//src//./a.py", "/network/x.py"})
        EXPECT_TRUE(details::is_source_path(path)) << path;
    for (const char* path :
         {"train.py", "-rf.py", "/etc/passwd", "<string>", "/home/me/.desktop", "", "/proc/self/x.py", "/dev/x.py",
          "/sys/x.py", "//proc/self/x.py", "///proc/x.py", "/./proc/x.py", "/proc//x.py", "/src/../proc/x.py",
          "/../proc/x.py", "/proc/self/root/../x.py", "/net/host/share/x.py", "//net/host/x.py", "/a/./../net/x.py"})
        EXPECT_FALSE(details::is_source_path(path)) << path;
    EXPECT_FALSE(details::is_source_path(std::string("/etc/passwd\0.py", 15)));
}

TEST(SourcePlaces, APlaceIsAlwaysPartOfOneArgument) {
    using Words = std::vector<std::string>;
    const std::string nasty = "/a b/$(rm -rf ~);{line}'\".py";
    EXPECT_EQ(details::editor_words("code --goto {file}:{line}", nasty, 12).value(),
              (Words{"code", "--goto", nasty + ":12"}));
    EXPECT_EQ(details::editor_words("'/opt/my editor' \"+{line}\"  {file} ''", "/x.py", 3).value(),
              (Words{"/opt/my editor", "+3", "/x.py", ""}));
    EXPECT_EQ(details::editor_words("  ", "/x.py", 3).value(), Words{});
    EXPECT_FALSE(details::editor_words("vim", "/x.py", 3)) << "no {file}";
    EXPECT_FALSE(details::editor_words("{file}", "/x.py", 3)) << "the program is never of the file";
    EXPECT_FALSE(details::editor_words("vim '{file}", "/x.py", 3)) << "the quote is open";
}

}  // namespace
}  // namespace snapviewer
