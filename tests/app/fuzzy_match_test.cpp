#include "app/features/command_palette/command_palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace snapviewer::fuzzy_match_test {
namespace {

const std::vector<std::string> k_texts = {"Previous marker",          "Next marker",         "Peak",
                                          "Tracks below the picture", "model.py:39 forward", "Zoom to the selection"};

/// The matching texts, best first.
std::vector<std::string> answers(const std::string& typed) {
    std::vector<std::pair<int, std::string>> found;
    for (const std::string& text : k_texts) {
        if (const auto points = command_palette::fuzzy_match(text, typed)) found.emplace_back(-*points, text);
    }
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<std::string> texts;
    for (const auto& [points, text] : found) texts.push_back(text);
    return texts;
}

TEST(FuzzyMatch, WhatStandsThereWholeComesFirst) {
    EXPECT_EQ(answers("pe").front(), "Peak");
    EXPECT_EQ(answers("PEAK"), std::vector<std::string>{"Peak"});
    EXPECT_EQ(answers("zts"), std::vector<std::string>{"Zoom to the selection"});
}

TEST(FuzzyMatch, WordsMayComeInAnyOrder) {
    EXPECT_EQ(answers("forward 39"), std::vector<std::string>{"model.py:39 forward"});
    EXPECT_EQ(answers("marker next"), std::vector<std::string>{"Next marker"});
}

TEST(FuzzyMatch, NothingTypedIsAnsweredByAll) {
    EXPECT_EQ(answers(" ").size(), k_texts.size());
    EXPECT_TRUE(answers("qqq").empty());
    EXPECT_TRUE(answers("marker qqq").empty());
}

}  // namespace
}  // namespace snapviewer::fuzzy_match_test
