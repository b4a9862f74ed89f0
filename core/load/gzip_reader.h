#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/load/packed_reader.h"

struct z_stream_s;

namespace snapviewer {

/// Whether bytes begin like a gzip file.
bool looks_like_gzip(std::string_view front);

/// Unpacks gzip (RFC 1952), also several members one after another.
class GzipReader : public PackedReader {
public:
    explicit GzipReader(ByteSource& packed);

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;

    struct End {
        void operator()(z_stream_s* stream) const;
    };
    std::unique_ptr<z_stream_s, End> stream_;
};

}  // namespace snapviewer
