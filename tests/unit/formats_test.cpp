#include "core/load/formats.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace snapviewer {
namespace {

// To regenerate the table of README.md, run: SNAPVIEWER_WRITE_DOCS=1 unit_tests --gtest_filter=Formats.*
TEST(Formats, AreListedInReadme) {
    const auto path = std::filesystem::path(SNAPVIEWER_SOURCE_DIR) / "README.md";
    std::ifstream file(path, std::ios::binary);
    const auto text = std::string(std::istreambuf_iterator(file), {});
    const std::string begin = "<!-- formats -->\n";
    const std::size_t from = text.find(begin);
    const std::size_t to = text.find("<!-- end of formats -->");
    ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
    const std::string wanted = text.substr(0, from + begin.size()) + load::formats_markdown() + text.substr(to);
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
    EXPECT_EQ(text, wanted);
}

TEST(Formats, HaveNamesOfTheirOwnAndEndingsThatBeginWithADot) {
    std::set<std::string_view> names;
    for (const load::Format& format : load::formats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_TRUE(format.endings.empty() || format.endings.front() == '.') << format.name;
    }
}

TEST(Formats, OnlyTellTheirOwnFromTheFirstBytes) {
    const auto recognised_by = [](std::string_view front) {
        load::Input input;
        input.front = front;
        std::vector<std::string_view> endings;
        for (const load::Format& format : load::formats()) {
            if (format.looks_like(input)) endings.push_back(format.endings);
        }
        return endings;
    };
    using Endings = std::vector<std::string_view>;
    EXPECT_EQ(recognised_by("\x80\x04}q."), Endings{".pickle .pkl"});
    EXPECT_EQ(recognised_by("{\"segments\": []}"), Endings{".json"});
    const std::string_view packed = ".gz .bz2 .xz .lzma .zst .mhtml .mht";
    EXPECT_EQ(recognised_by("\x1f\x8b\x08"), Endings{packed});
    EXPECT_EQ(recognised_by("BZh91AY&SY"), Endings{packed});
    EXPECT_EQ(recognised_by(std::string_view("\xFD"
                                             "7zXZ\0",
                                             6)),
              Endings{packed});
    EXPECT_EQ(recognised_by(std::string_view("]\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", 14)), Endings{packed});
    EXPECT_EQ(recognised_by("\x28\xB5\x2F\xFD"), Endings{packed});
    EXPECT_EQ(recognised_by("\x5D\x2A\x4D\x18"), Endings{packed}) << "a frame to be skipped comes first";
    EXPECT_EQ(recognised_by("]*M"), Endings{});
    EXPECT_EQ(recognised_by("<!DOCTYPE html>"), Endings{".html"});
    EXPECT_EQ(recognised_by("[[1700000000000000, "), (Endings{".json", ".json"})) << "a memory timeline is asked first";
    // These formats are only recognised as whole files, not within a container.
    EXPECT_EQ(recognised_by("PK\x03\x04"), Endings{});
    EXPECT_EQ(recognised_by(std::string_view("SQLite format 3\0", 16)), Endings{});
    EXPECT_EQ(recognised_by("GIF89a"), Endings{});
}

}  // namespace
}  // namespace snapviewer
