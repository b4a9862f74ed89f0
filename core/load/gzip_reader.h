#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/load/packed_reader.h"

struct z_stream_s;

namespace snapviewer {

/// Whether bytes begin like a gzip file.
bool looks_like_gzip(std::string_view front);

/// Whether bytes begin like a zlib stream (RFC 1950) of the usual window, as joblib writes it.
bool looks_like_zlib(std::string_view front);

/// Unpacks gzip (RFC 1952), also several members one after another, or a single zlib stream.
class GzipReader : public PackedReader {
public:
    enum class Kind : std::uint8_t { gzip, zlib };
    explicit GzipReader(ByteSource& packed, Kind kind = Kind::gzip);

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;

    struct End {
        void operator()(z_stream_s* stream) const;
    };
    std::unique_ptr<z_stream_s, End> stream_;
    Kind kind_;
};

}  // namespace snapviewer
