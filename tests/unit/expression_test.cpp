#include "core/timeline/search.h"

#include <gtest/gtest.h>

#include <string>

namespace snapviewer::expression_test {
namespace {

using Letters = Expression::Letters;

std::string error_of(const std::string& text) {
    const auto compiled = Expression::compile(text, Letters::exact);
    if (compiled) return "";
    EXPECT_EQ(compiled.error().code, ErrorCode::bad_query) << text;
    return compiled.error().message;
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
    EXPECT_TRUE(is_in("LAYER", "layer", Letters::ignore_case));
    EXPECT_TRUE(is_in("^a[)\\]](b|c){2}$", "a)bc"));
    EXPECT_TRUE(is_in("\\bconv\\b", "a conv b"));
}

TEST(Expression, WhatIsTooMuchIsRefusedBeforeItIsCompiled) {
    EXPECT_EQ(error_of("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}"), "");
    EXPECT_EQ(error_of("(ab?){100}"), "");
    EXPECT_EQ(error_of(std::string(1000, 'a')), "");
    EXPECT_NE(error_of(std::string(1001, 'a')).find("1000"), std::string::npos);
    const std::string repeats = error_of("a{1001}");
    EXPECT_NE(repeats, error_of("("));
    for (const char* text :
         {"((a?){300}){300}b", "(((((x{9}){9}){9}){9}){9}){9}", "a{1001}", "([a-f]{50}){20}([0-9]{50}){20}.{1000}\\pL{300}"})
        EXPECT_EQ(error_of(text), repeats) << text;
}

TEST(Expression, WhatIsNoneIsRefusedWithThePartThatIsWrong) {
    EXPECT_TRUE(error_of("x(").ends_with(": x("));
    EXPECT_TRUE(error_of("x(?=y)").ends_with(": (?="));
    for (const char* text : {"a)(b", "[a", "[[:", "[a\\", "a\\", "{3}", "(a)\\1"}) EXPECT_NE(error_of(text), "") << text;
}

TEST(Expression, TheLargestOneFollowsALongTextWithinTheStack) {
    EXPECT_FALSE(is_in("((a?){30}){16}b", std::string(1000, 'a')));
    EXPECT_TRUE(is_in("(a*)*b", std::string(100'000, 'a') + "b"));
    EXPECT_FALSE(is_in("(a|a)*b", std::string(100'000, 'a')));
}

TEST(Expression, WhatCouldTakeLongIsNotLookedFor) {
    const auto compiled = Expression::compile("(.*a){20}.{500}z", Letters::exact);
    ASSERT_TRUE(compiled);
    const std::string stack(20'000, 'a'), long_text(1'000'000, 'a');
    EXPECT_FALSE(compiled->is_too_expensive_for(stack));
    EXPECT_TRUE(compiled->is_in(stack + "z"));
    EXPECT_TRUE(compiled->is_too_expensive_for(long_text));
    EXPECT_FALSE(compiled->is_in(long_text + "z"));
    EXPECT_TRUE(is_in("layer\\.\\d+", long_text + "layer.7"));
}

}  // namespace
}  // namespace snapviewer::expression_test
