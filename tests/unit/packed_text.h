#pragma once

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/unit/pickle_text.h"

/// Builders of compressed files and pages for tests.
namespace snapviewer::test::packed {

/// A gzip file with stored blocks (RFC 1951, section 3.2.4).
inline std::string gzipped(const std::string& bytes) {
    const auto little = [](std::uint64_t value, int width) { return PickleText().little(value, width).bytes(); };
    std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    std::uint32_t sum = ~0U;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (0xEDB88320 & (0 - (sum & 1)));
    }
    constexpr std::size_t k_block = 0xFFFF;
    for (std::size_t at = 0; at < bytes.size(); at += k_block) {
        const std::size_t size = std::min(k_block, bytes.size() - at);
        packed += at + size == bytes.size() ? '\x01' : '\0';
        packed += little(size, 2) + little(~size & 0xFFFF, 2);
        packed.append(bytes, at, size);
    }
    return packed + little(~sum, 4) + little(bytes.size(), 4);
}

inline std::uint8_t* bytes_in(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

/// Compresses bytes with the encoder that `begin` sets up.
template <typename Begin>
inline std::string compressed(std::string bytes, Begin begin) {
    lzma_stream stream = LZMA_STREAM_INIT;
    EXPECT_EQ(begin(&stream), LZMA_OK);
    std::string packed(bytes.size() + 1000, '\0');
    stream.next_in = bytes_in(bytes);
    stream.avail_in = bytes.size();
    stream.next_out = bytes_in(packed);
    stream.avail_out = packed.size();
    EXPECT_EQ(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    packed.resize(stream.total_out);
    lzma_end(&stream);
    return packed;
}

inline std::string xz(const std::string& bytes) {
    return compressed(bytes, [](lzma_stream* stream) { return lzma_easy_encoder(stream, 0, LZMA_CHECK_CRC64); });
}

inline std::string lzma(const std::string& bytes) {
    lzma_options_lzma options;
    EXPECT_FALSE(lzma_lzma_preset(&options, 0));
    return compressed(bytes, [&](lzma_stream* stream) { return lzma_alone_encoder(stream, &options); });
}

inline std::string bzip2(std::string bytes) {
    std::string packed(bytes.size() + bytes.size() / 50 + 1000, '\0');
    auto size = static_cast<unsigned>(packed.size());
    EXPECT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, bytes.data(), static_cast<unsigned>(bytes.size()), 1, 0, 0),
              BZ_OK);
    packed.resize(size);
    return packed;
}

inline std::string zstd(const std::string& bytes) {
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
    return packed;
}

inline std::string page(const std::string& bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text = "<html><script>x = [{\"base64\": \"";
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])); };
        const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (const int shift : {18, 12, 6, 0}) text += digits[bits >> shift & 63];
    }
    return text + "\"}]</script></html>";
}

}  // namespace snapviewer::test::packed
