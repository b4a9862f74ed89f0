#include "core/system/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(SystemFiles, AreMadeOnceWrittenAnywhereAndReadToTheirEnd) {
    const TestFolder folder;
    std::error_code failed;
    const FileHandle file = create_new_file(folder.file("a"), fs::perms(0600), Umask::applied, failed);
    ASSERT_FALSE(failed) << failed.message();
    EXPECT_FALSE(create_new_file(folder.file("a"), fs::perms(0600), Umask::applied, failed).is_open());
    EXPECT_EQ(failed, std::errc::file_exists);
    EXPECT_FALSE(write_at(file, as_bytes("world"), 6));
    EXPECT_FALSE(write_at(file, as_bytes("hello "), 0));

    const FileHandle reader = open_to_read(folder.file("a"), SymbolicLinks::refuse, failed);
    std::string text(20, '.');
    EXPECT_EQ(read_at(reader, std::as_writable_bytes(std::span(text)), 4, failed), 7U);
    EXPECT_FALSE(failed);
    EXPECT_EQ(text.substr(0, 7), "o world");
    const auto state = state_of(reader, failed);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->kind, FileState::Kind::file);
    EXPECT_EQ(state->size_bytes, 11U);
    EXPECT_EQ(state->link_count, 1U);
    EXPECT_TRUE(state->is_own);
}

TEST(SystemFiles, SayWhatIsThere) {
    const TestFolder folder;
    std::error_code failed;
    EXPECT_FALSE(open_to_read(folder.file("none"), SymbolicLinks::follow, failed).is_open());
    EXPECT_EQ(failed, std::errc::no_such_file_or_directory);
    const FileHandle opened = open_to_read(folder.file("."), SymbolicLinks::follow, failed);
    EXPECT_EQ(state_of(opened, failed)->kind, FileState::Kind::folder);
    std::ofstream(folder.file("a")) << "x";
    fs::create_symlink("a", folder.file("link"), failed);
    if (failed == std::errc::function_not_supported) return;
    EXPECT_TRUE(open_to_read(folder.file("link"), SymbolicLinks::follow, failed).is_open());
    EXPECT_FALSE(open_to_read(folder.file("link"), SymbolicLinks::refuse, failed).is_open());
}

TEST(SystemFiles, HaveNamesOfAllCharacters) {
    const TestFolder folder;
    const std::string name = "\u4e2d\u6587 \u00fc \U0001F600.pickle";
    std::error_code failed;
    ASSERT_TRUE(create_new_file(folder.file(name), fs::perms(0600), Umask::applied, failed).is_open()) << failed.message();
    ASSERT_EQ(folder.state().size(), 1U);
    EXPECT_EQ(folder.state().begin()->first, name);
    EXPECT_TRUE(open_to_read(folder.file(name), SymbolicLinks::refuse, failed).is_open());
    EXPECT_TRUE(are_same_file(folder.file(name), folder.file("./" + name)));
    EXPECT_FALSE(are_same_file(folder.file(name), folder.file("none")));
    EXPECT_TRUE(are_same_file(folder.file("."), folder.file("")));
}

TEST(SystemFiles, HaveOneLock) {
    const TestFolder folder;
    std::error_code failed;
    FileHandle first = create_new_file(folder.file("a"), fs::perms(0600), Umask::applied, failed);
    const FileHandle second = open_to_read(folder.file("a"), SymbolicLinks::refuse, failed);
    const std::error_code locked = lock_file(first);
    if (locked == std::errc::not_supported) GTEST_SKIP() << "this system has no locks";
    EXPECT_FALSE(locked);
    EXPECT_EQ(lock_file(second), std::errc::operation_would_block);
    first = FileHandle();
    EXPECT_FALSE(lock_file(second)) << "it goes with its handle";
}

TEST(SystemFiles, HaveHoles) {
    const TestFolder folder;
    constexpr std::uint64_t k_behind_bytes = std::uint64_t{4} << 20;
    std::error_code failed;
    const FileHandle file = create_new_file(folder.file("a"), fs::perms(0600), Umask::applied, failed);
    EXPECT_FALSE(write_at(file, as_bytes("end"), k_behind_bytes));
    const auto part = next_data_part(file, 0, k_behind_bytes + 3);
    ASSERT_TRUE(part);
    EXPECT_LE(part->begin, k_behind_bytes);
    EXPECT_EQ(part->end, k_behind_bytes + 3);
    EXPECT_FALSE(next_data_part(file, k_behind_bytes + 3, k_behind_bytes + 3));
}

TEST(SystemFiles, TakeThePlaceOfOthers) {
    const TestFolder folder;
    std::ofstream(folder.file("a")) << "new";
    std::ofstream(folder.file("b")) << "old";
    EXPECT_FALSE(replace_file(folder.file("a"), folder.file("b")));
    EXPECT_FALSE(fs::exists(folder.file("a")));
    EXPECT_EQ(fs::file_size(folder.file("b")), 3U);
    remove_file(folder.file("b").c_str());
    EXPECT_FALSE(fs::exists(folder.file("b")));
    fs::create_directory(folder.file("deep"));
    std::ofstream(folder.file("deep/c")) << "x";
    remove_folder(folder.file("deep").c_str());
    EXPECT_TRUE(fs::exists(folder.file("deep"))) << "it is not empty";
    remove_file(folder.file("deep/c").c_str());
    remove_folder(folder.file("deep").c_str());
    EXPECT_FALSE(fs::exists(folder.file("deep")));
}

}  // namespace
}  // namespace snapviewer
