#include "core/base/addresses.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

using Names = std::vector<std::string>;

constexpr const char* k_token = "0123abcd";

std::optional<RequestTarget> parsed(const std::string& behind) {
    return parse_request_target("/0123abcd" + behind, k_token);
}

TEST(RequestTargetTest, NamesAndParameters) {
    const auto target = parsed("/runs/a%20b%23.pickle/query?sql=SELECT+1%2B1&device=0&json&sql=other&=x&&");
    ASSERT_TRUE(target.has_value());
    EXPECT_EQ(target->names, (Names{"runs", "a b#.pickle", "query"}));
    EXPECT_FALSE(target->ends_with_slash);
    EXPECT_EQ(target->parameters,
              (std::map<std::string, std::string>{{"sql", "SELECT 1+1"}, {"device", "0"}, {"json", ""}}));
    EXPECT_TRUE(target->has("json"));
    EXPECT_FALSE(target->has("csv"));
    EXPECT_EQ(target->parameter("csv"), "");
}

TEST(RequestTargetTest, Slashes) {
    EXPECT_TRUE(parsed("/")->ends_with_slash);
    EXPECT_FALSE(parsed("")->ends_with_slash);
    EXPECT_TRUE(parsed("/a/")->ends_with_slash);
    EXPECT_EQ(parsed("/a/")->names, Names{"a"});
    EXPECT_EQ(parsed("/?a")->names, Names{});
    EXPECT_FALSE(parsed("//"));
    EXPECT_FALSE(parsed("//a"));
    EXPECT_FALSE(parsed("/a//"));
    EXPECT_FALSE(parsed("/a//b"));
}

TEST(RequestTargetTest, PlusIsASpaceOnlyBehindTheQuestionMark) {
    EXPECT_EQ(parsed("/a+b")->names, Names{"a+b"});
    EXPECT_EQ(parsed("/?a+b=c+d")->parameter("a b"), "c d");
}

TEST(RequestTargetTest, AnotherTokenIsNone) {
    for (const char* target :
         {"", "/", "0123abcd/", "/0123abc/", "/0123abcde/", "/0123abce/", "//0123abcd/", "/x/0123abcd/"})
        EXPECT_FALSE(parse_request_target(target, k_token)) << target;
    EXPECT_FALSE(parse_request_target("/0123%61bcd/", k_token));
}

TEST(RequestTargetTest, NothingLeadsElsewhere) {
    for (const char* behind :
         {"/..", "/../a", "/%2e%2e/a", "/.", "/.hidden", "/a/..%2fb", "/a%2fb", "/%2f", "/a%00", "/%00", "/a/./b"})
        EXPECT_FALSE(parsed(behind)) << behind;
    EXPECT_EQ(parsed("/%252e")->names, Names{"%2e"}) << "taken apart once";
}

TEST(RequestTargetTest, BrokenEscapesAreNone) {
    for (const char* behind : {"/%", "/a%4", "/a%g0", "/a%0", "/%-1", "/?%", "/?a=%4", "/?a=%00"})
        EXPECT_FALSE(parsed(behind)) << behind;
}

TEST(RequestTargetTest, NumbersAreBounded) {
    std::string names, parameters = "/?";
    for (int i = 0; i < 200; ++i) {
        names += "/a";
        parameters += "a" + std::to_string(i) + "&";
    }
    EXPECT_FALSE(parsed(names));
    EXPECT_FALSE(parsed(parameters));
}

TEST(RequestTargetTest, LinksSayWhatWasMeant) {
    EXPECT_EQ(escaped_for_link("a b/%\xc3\xb6:\"~"), "a%20b%2F%25%C3%B6%3A%22~");
    EXPECT_EQ(query_of({}), "");
    const std::map<std::string, std::string> parameters = {{"sql", "a & b = 'c' + \n\""}, {"view", "1:2"}};
    EXPECT_EQ(parsed("/" + query_of(parameters))->parameters, parameters);
}

TEST(RequestTargetTest, LoopbackHosts) {
    for (const char* host : {"127.0.0.1", "127.0.0.1:80", "localhost", "LocalHost:65535", "[::1]", "[::1]:80"})
        EXPECT_TRUE(is_loopback_host(host)) << host;
    for (const char* host : {"", ":80", "localhost.example.org", "127.0.0.1.example.org:80", "example.org",
                             "localhost:80:80", "::1", "127.0.0.1@example.org", "localhost:", "[::1]x:1"})
        EXPECT_FALSE(is_loopback_host(host)) << host;
}

}  // namespace
}  // namespace snapviewer
