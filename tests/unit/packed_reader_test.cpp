#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/load/bytes/sources.h"
#include "tests/unit/json_pieces.h"

namespace snapviewer {
namespace {

using test::Pieces;

constexpr std::string_view k_text = "a snapshot of memory, a snapshot of memory";

/// The text as compressed by Python's gzip, bz2 and lzma and by the program zstd.
struct Packed {
    const char* name;
    std::string_view hex;
};

const Packed k_packed[] = {
    {"gzip", "1f8b08000000000002034b5428ce4b2c28cec82f51c84f53c84dcdcd2faad45148c4220a00c58723082a000000"},
    {"bzip2",
     "425a68393141592653599ae9145a000004118040042343dc20200020aa8d34861a840000bcba9533a69b525b4212e3e78eb2853f1772453850909a"
     "e9145a"},
    {"xz",
     "fd377a585a000004e6d6b4460200210116000000742fe5a3e00029001d5d0030880a67239217584b497890eb1423f6ae84b1232428ba49c52423f0"
     "0000000000f28b1f177eaed0eb0001392a47f1b9f51fb6f37d010000000004595a"},
    {"lzma", "5d00008000ffffffffffffffff0030880a67239217584b497890eb1423f6ae84b1232428ba49c524be0f57ffffb78a0000"},
    {"zstd", "28b52ffd0458e50000b06120736e617073686f74206f66206d656d6f72792c200100929e4d3a97f1b6"},
};

std::string bytes_of(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

/// Name of the packing that the first bytes identify, or "" if there is none.
std::string_view name_of(std::string_view front) {
    const bytes::Packing* packing = bytes::packing_of(front);
    return packing == nullptr ? "" : packing->name;
}

struct Unpacked {
    std::string text;
    std::optional<Failure> failure;

    bool is_cut() const { return failure && failure->is_cut; }
    /// The sentence of the error, in which values of the file may be looked for.
    std::string error() const { return failure ? failure->error.message : ""; }
};

Unpacked unpack(const Packed& packing, std::string_view packed, std::size_t piece_size, std::size_t room_size = 7) {
    Pieces pieces(packed, piece_size);
    const auto unpacker = bytes::make_unpacker(packing.name, pieces);
    Unpacked out;
    std::string room(room_size, '\0');
    try {
        while (const std::size_t size = unpacker->read(room)) out.text += room.substr(0, size);
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error.code, ErrorCode::bad_file);
        out.failure = failure;
    }
    return out;
}

TEST(PackedReader, UnpacksWhatOthersPackedInWhateverPiecesItComes) {
    for (const Packed& packing : k_packed) {
        SCOPED_TRACE(packing.name);
        const std::string packed = bytes_of(packing.hex);
        for (const std::size_t piece_size : {std::size_t{1}, std::size_t{13}, packed.size()}) {
            const Unpacked found = unpack(packing, packed, piece_size);
            EXPECT_EQ(found.text, k_text);
            EXPECT_EQ(found.error(), "");
        }
    }
}

TEST(PackedReader, ReadsSeveralStreamsWithZerosBetweenAndIgnoresWhatFollows) {
    for (const Packed& packing : k_packed) {
        SCOPED_TRACE(packing.name);
        const std::string packed = bytes_of(packing.hex);
        const std::string twice = std::string(k_text) + std::string(k_text);
        for (const std::string& between : {std::string(), std::string(4, '\0')}) {
            const Unpacked found = unpack(packing, packed + between + packed + "!what follows", 5);
            EXPECT_EQ(found.text, twice);
            EXPECT_EQ(found.error(), "");
        }
        const Unpacked cut = unpack(packing, packed + packed.substr(0, packed.size() / 2), 5);
        EXPECT_TRUE(cut.text.starts_with(k_text));
        EXPECT_TRUE(cut.is_cut());
    }
}

TEST(PackedReader, GivesWhatCameBeforeTheCutAndThenSaysWhere) {
    for (const Packed& packing : k_packed) {
        const std::string packed = bytes_of(packing.hex);
        for (std::size_t length = 0; length < packed.size(); ++length) {
            SCOPED_TRACE(std::string(packing.name) + " cut to " + std::to_string(length));
            const Unpacked found = unpack(packing, packed.substr(0, length), 9);
            EXPECT_TRUE(k_text.starts_with(found.text)) << found.text;
            ASSERT_TRUE(found.is_cut());
            EXPECT_EQ(found.failure->error.offset, length);
            EXPECT_NE(found.failure->error.context, "") << "the offset is one of the compressed file";
        }
    }
}

TEST(PackedReader, SaysThatItIsDamagedAndNeverGivesSomethingElseAsWhole) {
    for (const Packed& packing : k_packed) {
        const std::string packed = bytes_of(packing.hex);
        for (std::size_t at = 0; at < packed.size(); ++at) {
            SCOPED_TRACE(std::string(packing.name) + " at " + std::to_string(at));
            std::string damaged = packed;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            const Unpacked found = unpack(packing, damaged, 11);
            const bool is_checked = packing.name != std::string_view("lzma");  // the .lzma format has no checksum
            if (is_checked && !found.failure) {
                EXPECT_EQ(found.text, k_text);
            }
            if (found.text.empty()) {
                EXPECT_TRUE(found.failure);
            }
        }
    }
}

TEST(PackedReader, TellsEachByItsBytesAlone) {
    for (const Packed& packing : k_packed) {
        const std::string packed = bytes_of(packing.hex);
        EXPECT_EQ(name_of(packed), packing.name);
    }
    EXPECT_EQ(name_of(""), "");
    EXPECT_EQ(name_of("BZh9 is not a file that bzip2 wrote"), "");
    EXPECT_EQ(name_of("]q\x01(K\x01K\x02K\x03K\x04K\x05K\x06"
                      "e."),
              "")
        << "a list as protocol 1 writes it";
    EXPECT_EQ(name_of(std::string(600, '\0')), "");
}

TEST(PackedReader, RefusesWhatAsksForMoreMemoryThanAllowed) {
    // A header with a dictionary of 3 GiB, which liblzma would allocate at once.
    std::string lzma = bytes_of(k_packed[3].hex);
    lzma.replace(1, 4, std::string("\x00\x00\x00\xC0", 4));
    EXPECT_EQ(name_of(lzma), "lzma");
    const Unpacked found = unpack(k_packed[3], lzma, 100);
    EXPECT_EQ(found.text, "");
    EXPECT_FALSE(found.is_cut());
    EXPECT_NE(found.error().find("3.0 GiB"), std::string::npos) << found.error();
    // An .xz file with the same claim and a corrected checksum of the header: byte 16 is the dictionary size, and 40 means 4
    // GiB.
    std::string xz = bytes_of(k_packed[2].hex);
    xz.replace(16, 8, std::string("\x28\x00\x00\x00\xe6\xa0\x11\xb3", 8));
    EXPECT_NE(unpack(k_packed[2], xz, 100).error().find("4.0 GiB"), std::string::npos);
}

// Zstd frames written by hand (RFC 8878, section 3.1.1): a header, then blocks. A block starts with 24 bits: its size, its
// type and whether it is the last one.
const Packed& k_zstd = k_packed[4];
const std::string k_skipped = bytes_of("5f2a4d1804000000") + "what";

std::string stored_frame(std::string_view header, std::string_view text) {
    return bytes_of(header) + static_cast<char>(text.size() << 3 | 1) + std::string(2, '\0') + std::string(text);
}

TEST(ZstdReader, PassesOverSkippableFrames) {
    const std::string frame = stored_frame("28b52ffd0058", "text");
    EXPECT_EQ(name_of(k_skipped), "zstd");
    EXPECT_EQ(name_of("\x60\x2a\x4d\x18"), "");
    for (const std::size_t piece_size : {1U, 5U, 1000U}) {
        const Unpacked found = unpack(k_zstd, k_skipped + frame + k_skipped + k_skipped + frame + k_skipped, piece_size);
        EXPECT_EQ(found.text, "texttext");
        EXPECT_EQ(found.error(), "");
    }
}

TEST(ZstdReader, SaysHowLargeAWindowIsThatItRefuses) {
    struct Asked {
        const char* header;
        const char* size;  ///< null if the window is small enough
    };
    constexpr Asked k_asked[] = {{"28b52ffd0098", nullptr},                     // 2^29
                                 {"28b52ffd0099", "576.0 MiB"},                 // 2^29 and an eighth
                                 {"28b52ffd00a8", "2.0 GiB"},                   // 2^31
                                 {"28b52ffda000000080", "2.0 GiB"},             // content and window have the same size
                                 {"28b52ffde00000000000010000", "1.0 TiB"},     // 2^40
                                 {"28b52ffd6003fe", nullptr},                   // the field's value plus 256
                                 {"28b52ffde1000000000000010000", "1.0 TiB"}};  // preceded by an empty dictionary id
    for (const auto& [header, size] : k_asked) {
        SCOPED_TRACE(header);
        for (const std::size_t piece_size : {1U, 1000U}) {
            const Unpacked found = unpack(k_zstd, stored_frame(header, "text"), piece_size);
            // A header that is not refused is followed by data that it does not describe, so some end as damaged.
            EXPECT_EQ(found.failure && !found.is_cut(), size != nullptr) << found.error();
            if (size == nullptr) continue;
            EXPECT_NE(found.error().find(size), std::string::npos) << found.error();
            EXPECT_NE(found.error().find("512.0 MiB"), std::string::npos) << found.error();
        }
    }
}

TEST(ZstdReader, SaysThatADictionaryIsMissing) {
    const Unpacked found = unpack(k_zstd, stored_frame("28b52ffd015807", "text"), 3);
    EXPECT_NE(found.error().find("DICTIONARY"), std::string::npos) << "the option that unpacks it: " << found.error();
    EXPECT_FALSE(found.is_cut());
}

TEST(ZstdReader, GivesAllOfABlockInHoweverLittleRoom) {
    // A block of one letter repeated 128 KiB times, then the end of the data.
    const std::string packed = bytes_of("28b52ffd0058") + bytes_of("020010") + "N";
    for (const std::size_t room_size : {1000U, 65536U, 131071U, 131072U, 131073U}) {
        const Unpacked found = unpack(k_zstd, packed, 4, room_size);
        EXPECT_EQ(found.text, std::string(131072, 'N')) << room_size;
        EXPECT_TRUE(found.is_cut()) << room_size;
    }
}

TEST(ZstdReader, GivesTheBlocksBeforeTheDamage) {
    std::string packed = bytes_of("28b52ffd0458");
    for (const char c : {'a', 'b', 'c'}) packed += bytes_of("020010") + c;
    const Unpacked damaged = unpack(k_zstd, packed + bytes_of("ffffff"), 1000, 1 << 20);
    const Unpacked wrong_sum = unpack(k_zstd, packed + bytes_of("01000000000000"), 1000, 1 << 20);
    for (const Unpacked& found : {damaged, wrong_sum}) {
        EXPECT_EQ(found.text, std::string(131072, 'a') + std::string(131072, 'b') + std::string(131072, 'c'));
        ASSERT_TRUE(found.is_cut());
        EXPECT_GE(found.failure->error.offset.value(), packed.size()) << found.error();
    }
}

TEST(ZstdReader, EndsWhereThereAreMoreEmptyFramesThanInAnyFile) {
    std::string frames;
    for (int i = 0; i < 99'999; ++i) frames += bytes_of("502a4d1800000000");
    const std::string frame = stored_frame("28b52ffd0058", "text");
    EXPECT_EQ(unpack(k_zstd, frames + frame, 1 << 16).text, "text");
    const Unpacked found = unpack(k_zstd, frames + k_skipped + k_skipped + frame, 1 << 16);
    EXPECT_EQ(found.text, "");
    EXPECT_TRUE(found.failure);
    EXPECT_FALSE(found.is_cut());
}

}  // namespace
}  // namespace snapviewer
