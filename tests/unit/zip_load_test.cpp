#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "tests/unit/pickle_text.h"
#include "tests/unit/zip_text.h"

namespace snapviewer {
namespace {

using test::load_bytes;
using test::ZipText;

constexpr std::string_view k_allocation = R"({"timesteps": [0, 1], "offsets": [0, 0], "size": 512})";
constexpr std::string_view k_element = R"({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []})";

std::string list_of(std::string_view item, int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(item);
    return text + "]";
}

std::string zip_of(std::string_view allocations, std::string_view elements) {
    return ZipText().member("allocations.json", allocations).member("elements.json", elements).bytes();
}

/// The error for a file that must be refused; its code is bad_file.
Error zip_error(std::string_view bytes) {
    const auto snapshot = load_bytes(bytes);
    EXPECT_FALSE(snapshot.ok());
    if (snapshot.ok()) return {};
    EXPECT_EQ(snapshot.error().code, ErrorCode::bad_file);
    return snapshot.error();
}

TEST(Zip, OfManyPiecesIsReadWhole) {
    constexpr int k_count = 50'000;  // some 3 MB per member, a dozen pieces
    const auto snapshot = load_bytes(zip_of(list_of(k_allocation, k_count), list_of(k_element, k_count)));
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
    const DeviceTrace& trace = (*snapshot)->devices.at(0);
    EXPECT_EQ(trace.events.size(), std::size_t{k_count});
    EXPECT_EQ(trace.allocations.size(), std::size_t{k_count});
    EXPECT_EQ(trace.recorded_paths.points.size(), std::size_t{2 * k_count});
    EXPECT_EQ(trace.allocations.address[k_count - 1], 4096U);
}

TEST(Zip, ListsItsPolygonsInAnyOrder) {
    const auto snapshot =
        load_bytes(zip_of(R"([{"timesteps": [5, 6], "offsets": [1, 2], "size": 10, "elem": 1, "color": 18446744073709551615},
                                                {"timesteps": [0, 9], "offsets": [3, 4], "size": 20, "elem": 0, "note": {"size": "x"}}])",
                          list_of(k_element, 2)));
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
    const DeviceTrace& trace = (*snapshot)->devices.at(0);
    EXPECT_EQ(trace.allocations.size_bytes, (std::vector<std::uint64_t>{20, 10}));
    EXPECT_EQ(trace.recorded_paths.points, (std::vector<PathPoint>{{0, 3}, {9, 4}, {5, 1}, {6, 2}}));
    EXPECT_EQ(trace.recorded_paths.ends, (std::vector<std::uint64_t>{2, 4}));
}

TEST(Zip, NamesTheMemberAndTheByteThatIsWrong) {
    const std::string elements = list_of(k_element, 1);
    struct Wrong {
        std::string zip;
        std::uint64_t offset;
        const char* member;
    };
    for (const Wrong& wrong : {Wrong{zip_of("[{\"size\": 1", elements), 11, "member allocations.json"},
                               Wrong{zip_of("[{\"size\": \"1\"}]", elements), 13, "member allocations.json"},
                               Wrong{zip_of(list_of(k_allocation, 1), "[nul]"), 4, "member elements.json"}}) {
        const Error error = zip_error(wrong.zip);
        EXPECT_EQ(error.offset, wrong.offset) << error.text();
        EXPECT_EQ(error.context, wrong.member) << error.text();
    }
}

TEST(Zip, ThatIsWrongEarlyInALargeMemberIsLeftAtOnce) {
    EXPECT_EQ(zip_error(zip_of("[5," + std::string(8'000'000, ' '), "[]")).offset, 2U)
        << "while the thread that inflates waits for somebody to take its pieces";
}

TEST(Zip, WithADamagedMemberSaysSo) {
    const std::string allocations = list_of(k_allocation, 50'000);
    std::string bytes = zip_of(allocations, list_of(k_element, 1));
    const std::size_t at = bytes.rfind("512}", 2'000'000);
    bytes.replace(at, 3, "513");
    const Error error = zip_error(bytes);
    EXPECT_EQ(error.context, "member allocations.json");
    EXPECT_EQ(error.offset, allocations.size()) << error.text();
}

TEST(Zip, StopsWhenAsked) {
    const test::ScratchFile file(zip_of(list_of(k_allocation, 50'000), list_of(k_element, 50'000)));
    Progress progress;
    progress.request_stop();
    const auto snapshot = load::load_file(file.path(), progress);
    ASSERT_FALSE(snapshot.ok());
    EXPECT_EQ(snapshot.error().code, ErrorCode::cancelled);
}

/// The packed data are 12 million times 40 bits: four empty blocks of deflate (RFC 1951, section 3.2.6).
TEST(Zip, StopsWhileNothingComesOut) {
    std::string packed;
    for (int i = 0; i < 12'000'000; ++i) packed.append("\x02\x08\x20\x80\0", 5);
    constexpr int k_deflated = 8;
    const test::ScratchFile file(ZipText().packed_member("snapshot", k_deflated, packed + "\x03", "").bytes());
    Progress progress;
    std::clock_t answered = 0;
    std::jthread worker([&] {
        const auto snapshot = load::load_file(file.path(), progress);
        answered = std::clock();
        ASSERT_FALSE(snapshot.ok());
        EXPECT_EQ(snapshot.error().code, ErrorCode::cancelled);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::clock_t asked = std::clock();
    progress.request_stop();
    worker.join();
    EXPECT_LT(static_cast<double>(answered - asked) / CLOCKS_PER_SEC, 0.2);
}

}  // namespace
}  // namespace snapviewer
