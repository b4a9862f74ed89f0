#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/load/byte_source.h"

struct z_stream_s;

namespace snapviewer {

/// Whether bytes begin like a gzip file.
bool looks_like_gzip(std::string_view front);

/// Unpacks gzip (RFC 1952), also several members one after another. What follows the last member is ignored, as gunzip does.
/// Where the input ends early or is damaged, everything before comes first and then a failure that is_cut, with the byte of
/// the packed input.
class GzipReader : public ByteReader {
public:
    explicit GzipReader(ByteSource& packed);

    std::size_t read(std::span<char> room) override;

private:
    bool has_input();
    bool begins_another_member();
    [[noreturn]] void fail_here(const char* what) const;

    struct End {
        void operator()(z_stream_s* stream) const;
    };
    ByteSource& packed_;
    std::unique_ptr<z_stream_s, End> stream_;
    std::uint64_t packed_bytes_ = 0;  ///< taken from packed_ so far
    std::uint64_t inflated_bytes_ = 0;
    bool at_end_ = false;
};

}  // namespace snapviewer
