#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/load/packed_reader.h"

namespace snapviewer {

/// Whether bytes begin like an .xz file, and like one of the older .lzma files.
bool looks_like_xz(std::string_view front);
bool looks_like_lzma(std::string_view front);

/// Unpacks .xz or .lzma ("LZMA alone"), also several files one after another. A file says how much memory it needs; one that
/// asks for more than limits::k_dictionary_bytes is a failure.
class LzmaReader : public PackedReader {
public:
    enum class Kind : std::uint8_t { xz, lzma };

    LzmaReader(ByteSource& packed, Kind kind);
    ~LzmaReader() override;

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;
    void begin();

    struct Stream;
    Kind kind_;
    std::unique_ptr<Stream> stream_;
};

}  // namespace snapviewer
