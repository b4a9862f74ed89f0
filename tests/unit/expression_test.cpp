#include "core/base/expression.h"

#include <gtest/gtest.h>

#include <chrono>

namespace snapviewer::expression_test {
namespace {

using Letters = Expression::Letters;

std::string error_of(const std::string& text) {
    const auto compiled = Expression::compile(text, Letters::exact);
    return compiled ? "" : compiled.error().message;
}

bool is_in(const std::string& expression, std::string_view text, Letters letters = Letters::exact) {
    const auto compiled = Expression::compile(expression, letters);
    EXPECT_TRUE(compiled) << expression;
    return compiled && compiled->is_in(text);
}

TEST(Expression, FindsAnywhereInATextAndByCaseIfWanted) {
    EXPECT_TRUE(is_in("layer\\.\\d+", "model.layer.12.weight"));
    EXPECT_FALSE(is_in("layer\\.\\d+", "model.layers.12"));
    EXPECT_FALSE(is_in("LAYER", "layer"));
    EXPECT_TRUE(is_in("LAYER", "layer", Letters::either_case));
    EXPECT_TRUE(is_in("^a[)\\]](b|c){2}$", "a)bc"));
    EXPECT_TRUE(is_in("\\bconv\\b", "a conv b"));
    EXPECT_TRUE(is_in("x(?=y)", "axy"));
}

TEST(Expression, WhatIsTooMuchIsRefusedBeforeItIsCompiled) {
    EXPECT_EQ(error_of("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}"), "");
    EXPECT_EQ(error_of("(ab?){100}"), "");
    EXPECT_EQ(error_of(std::string(1001, 'a')), "is longer than 1000 characters");
    for (const char* text : {"((a?){300}){300}b", "(((((x{9}){9}){9}){9}){9}){9}", "a{99999999999999999999}", "(a[)]b){999}",
                             "(a[[:alpha:])]b){999}", "(\\)bcd){600}"})
        EXPECT_EQ(error_of(text), "repeats too much: more than 2000 parts in all") << text;
    for (const char* text : {"(", "a)(b", "[a", "[[:", "[a\\", "a\\", "a{", "{3}"})
        EXPECT_EQ(error_of(text), "is not a regular expression") << text;
}

TEST(Expression, TheLargestOneFollowsALongTextWithinTheStack) {
    EXPECT_FALSE(is_in("((a?){30}){16}b", std::string(1000, 'a')));
    EXPECT_TRUE(is_in("(a*)*b", std::string(100'000, 'a') + "b"));
    EXPECT_FALSE(is_in("(a|a)*b", std::string(100'000, 'a')));
}

TEST(Expression, EndsWhenItHasTo) {
    const auto compiled = Expression::compile("(x?(?=.*y)){100}z", Letters::exact);
    ASSERT_TRUE(compiled);
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [began] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    EXPECT_FALSE(compiled->is_in(std::string(1'000'000, 'x'), [&] { return seconds() > 0.1; }));
    EXPECT_LT(seconds(), 2);
}

}  // namespace
}  // namespace snapviewer::expression_test
