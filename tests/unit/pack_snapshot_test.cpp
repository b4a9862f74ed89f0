#include "core/exports/export.h"

#include <gtest/gtest.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/bench/training_pickle.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::pack_test {
namespace {

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator(file), {});
}

class PackSnapshot : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.file(name); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    /// Packs a file into out.zst.
    Result<exports::PackedSnapshot> pack(const std::string& file, int level = exports::k_default_pack_level) const {
        Result<OutputFile> out = OutputFile::create(path("out.zst"));
        EXPECT_TRUE(out.ok());
        Progress progress;
        Result<exports::PackedSnapshot> packed = exports::pack_snapshot(file, *out, level, progress);
        if (packed) {
            EXPECT_TRUE(out->commit().ok());
        }
        return packed;
    }
    /// Unpacks out.zst with a single call of the zstd library.
    std::string unpacked(std::size_t size_bytes) const {
        const std::string packed = content_of(path("out.zst"));
        std::string text(size_bytes + 1, '\0');
        const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
        EXPECT_EQ(ZSTD_isError(size), 0U) << ZSTD_getErrorName(size);
        text.resize(ZSTD_isError(size) != 0 ? 0 : size);
        return text;
    }

    TestFolder folder_;
};

TEST_F(PackSnapshot, KeepsEveryByteAtEveryLevel) {
    const std::string bytes = test::TrainingPickle(20'000).bytes() + "and whatever follows";
    for (const int level : {exports::k_min_pack_level, exports::k_default_pack_level, 12}) {
        const auto packed = pack(write("a.pickle", bytes), level);
        ASSERT_TRUE(packed.ok()) << packed.error().text();
        EXPECT_TRUE(unpacked(bytes.size()) == bytes) << level;
        EXPECT_EQ(packed->content_bytes, bytes.size());
        EXPECT_EQ(packed->packed_bytes, std::filesystem::file_size(path("out.zst")));
        EXPECT_LT(4 * packed->packed_bytes, bytes.size());
        EXPECT_EQ(packed->unpacked_from, "");
    }
}

TEST_F(PackSnapshot, SaysHowLongTheContentIsAndHasACheckSum) {
    const std::string bytes = test::TrainingPickle(100).bytes();
    ASSERT_TRUE(pack(write("a.pickle", bytes)).ok());
    std::string packed = content_of(path("out.zst"));
    EXPECT_EQ(ZSTD_getFrameContentSize(packed.data(), packed.size()), bytes.size());
    packed.back() ^= 1;
    std::string text(bytes.size(), '\0');
    const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    EXPECT_EQ(ZSTD_getErrorCode(size), ZSTD_error_checksum_wrong);
}

TEST_F(PackSnapshot, TakesOffWhatAFileIsPackedWith) {
    const std::string bytes = test::TrainingPickle(1000).bytes();
    ASSERT_TRUE(pack(write("a.pickle", bytes)).ok());
    std::filesystem::rename(path("out.zst"), path("a.zst"));
    const auto once = pack(path("a.zst"), 9);
    ASSERT_TRUE(once.ok()) << once.error().text();
    EXPECT_EQ(once->unpacked_from, "zstd");
    EXPECT_TRUE(unpacked(bytes.size()) == bytes);

    const std::string inner = content_of(path("a.zst"));
    std::string outer(ZSTD_compressBound(inner.size()), '\0');
    outer.resize(ZSTD_compress(outer.data(), outer.size(), inner.data(), inner.size(), 1));
    const auto twice = pack(write("twice.zst", outer));
    ASSERT_TRUE(twice.ok()) << twice.error().text();
    EXPECT_EQ(twice->unpacked_from, "zstd/zstd");
    EXPECT_TRUE(unpacked(bytes.size()) == bytes);
}

TEST_F(PackSnapshot, RefusesWhatWouldNotOpenOrIsNotWhole) {
    const auto refused = [&](const std::string& bytes) {
        const auto packed = pack(write("a", bytes));
        EXPECT_FALSE(packed.ok());
        EXPECT_FALSE(std::filesystem::exists(path("out.zst")));
        return packed ? Error() : packed.error();
    };
    for (const char* bytes : {"just text", "", "PK\x03\x04"}) {
        EXPECT_EQ(refused(bytes).code, ErrorCode::bad_file) << bytes;
        EXPECT_EQ(refused(bytes).offset, std::nullopt) << bytes;
    }
    ASSERT_TRUE(pack(write("whole", test::TrainingPickle(5000).bytes())).ok());
    const std::string whole = content_of(path("out.zst"));
    std::filesystem::remove(path("out.zst"));
    const Error half = refused(whole.substr(0, whole.size() / 2));
    EXPECT_EQ(half.code, ErrorCode::bad_file);
    EXPECT_EQ(half.offset, whole.size() / 2) << half.text();
}

}  // namespace
}  // namespace snapviewer::pack_test
