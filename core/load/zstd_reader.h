#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/load/packed_reader.h"

struct ZSTD_DCtx_s;

namespace snapviewer {

/// Whether bytes begin like a Zstandard file: with a frame, or with a skippable one, as parallel packers write it first.
bool looks_like_zstd(std::string_view front);

/// Unpacks Zstandard (RFC 8878), also several frames one after another, skippable ones among them. Check sums are verified.
/// A frame says how large its window is; one that asks for more than limits::k_zstd_window_log, or for a dictionary that is
/// not in the file, is a failure.
class ZstdReader : public PackedReader {
public:
    explicit ZstdReader(ByteSource& packed);

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool holds_output() const override { return holds_output_; }
    bool begin_another(char first) override;
    Outcome refuse(std::size_t code, std::string_view in) const;

    struct End {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    MemoryAccount* windows_;  ///< charged for the window; may be null
    std::unique_ptr<ZSTD_DCtx_s, End> context_;
    static constexpr std::size_t k_first_bytes = 5;  ///< of a frame, by which the length of its header is known
    /// Up to the end of a block: a call that fails, be it in the header of the next one, gives nothing of what it unpacked.
    std::size_t next_bytes_ = k_first_bytes;
    std::string header_;              ///< the first bytes of the frame, which say what it asks for
    std::uint64_t empty_blocks_ = 0;  ///< calls since something came out; each is given a block at most
    bool holds_output_ = false;       ///< the last call may have left some behind for want of room
};

}  // namespace snapviewer
