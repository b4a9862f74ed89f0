#include "core/load/remote/source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace snapviewer {
namespace {

TEST(RemoteAnswer, WhatIsSent) {
    const remote::SentFile sent = remote::parse_sent_file("zstd 42");
    EXPECT_EQ(sent.packing, "zstd");
    EXPECT_EQ(sent.size_bytes, 42U);
    EXPECT_EQ(remote::parse_sent_file("plain  7 ").size_bytes, 7U);  // some versions of wc pad with spaces
    for (const char* line : {"", "plain", "plain -1", "plain 1x", "plain 99999999999999999999"})
        EXPECT_EQ(remote::parse_sent_file(line).size_bytes, 0U) << line;
}

TEST(RemoteAnswer, ListingKeepsWhatLiesBelow) {
    const std::string text =
        "5 100 ./a.pickle\n0 -3 ./b c/rank 1.pickle\nfind: denied\n5 100 a\n5 100 ./\n5 100 ./../a\n5 100 ./a//b\n"
        "5 100 ./a/.\nx 100 ./a\n5 x ./a\n5 100 ./" +
        std::string(5000, 'a') + "\n5 100 ./" + std::string("a\0b", 3) + "\n7 8 ./last";
    const std::vector<remote::RemoteEntry> expected = {{"a.pickle", 5, 100}, {"b c/rank 1.pickle", 0, -3}, {"last", 7, 8}};
    EXPECT_EQ(remote::parse_listing(text), expected);
    EXPECT_TRUE(remote::parse_listing("").empty());
}

TEST(RemoteAnswer, HeadersOfHttp) {
    EXPECT_FALSE(remote::parse_http_answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"));
    const auto answer = remote::parse_http_answer("HTTP/1.1 200 OK\r\ncontent-LENGTH:  3 \r\n\r\nabc");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header_bytes, 40U);
    EXPECT_EQ(answer->body_bytes, 3U);
    EXPECT_FALSE(answer->is_followed);
    EXPECT_TRUE(remote::parse_http_answer("HTTP/1.1 100 Continue\r\n\r\n")->is_followed);
    EXPECT_TRUE(remote::parse_http_answer("HTTP/2 302\r\nLocation: /b\r\n\r\n")->is_followed);
    EXPECT_FALSE(remote::parse_http_answer("HTTP/2 304\r\n\r\n")->is_followed);
    EXPECT_EQ(remote::parse_http_answer("HTTP/2 200\r\nContent-Length: -1\r\n\r\n")->body_bytes, 0U);
}

/// The lines in brackets, each after the bytes that precede it.
std::string cut(const std::string& text, std::size_t piece_bytes) {
    remote::MarkedText marked("mark");
    std::string said;
    for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
        marked.add(std::string_view(text).substr(at, piece_bytes));
        while (true) {
            if (const std::string_view content = marked.take_content(); !content.empty())
                said += content;
            else if (const auto line = marked.take_line())
                said += "[" + *line + "]";
            else
                break;
        }
    }
    return said + marked.take_line().value_or("") + std::string(marked.rest());
}

TEST(RemoteAnswer, LinesWithAMarkAreFoundInAnyPieces) {
    const std::string text = "noise\nmark\n\nmark one\nbytes\n\n\nmar\nmark two\n\nmark \nmark x\nmark";
    for (std::size_t piece = 1; piece <= text.size(); ++piece)
        EXPECT_EQ(cut(text, piece), "noise\nmark\n[one]bytes\n\n\nmar[two][]mark x\nmark") << piece;
}

}  // namespace
}  // namespace snapviewer
