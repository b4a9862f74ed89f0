#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>

#include "core/base/ids.h"

namespace snapviewer {

/// A deflated JSON list with one item per allocation. Pieces of the list are deflated in parallel on all cores and returned
/// in order, while the next pieces are in progress. Neither the text nor the deflated bytes are ever in memory as a whole.
class DeflatedList {
public:
    /// Appends the JSON of one allocation. Called on several threads at once, each with its own copy of the function.
    using Append = std::function<void(std::string&, AllocationId)>;
    /// Prepares a list of `count` allocations. `level` is zlib's compression level.
    DeflatedList(std::uint32_t count, Append append, int level);

    /// Reads up to `size` bytes of a raw deflate stream. Returns 0 at its end. Throws if the text exceeds the budget, and
    /// stopped() if asked to stop.
    std::size_t read(char* out, std::size_t size);
    /// Size of the text whose deflated bytes were read so far.
    std::uint64_t text_bytes() const { return text_bytes_; }
    std::uint32_t text_crc() const { return text_crc_; }

private:
    struct Piece {
        std::string deflated;
        std::uint64_t text_bytes = 0;
        std::uint32_t text_crc = 0;
    };

    Piece make(std::uint32_t first, std::uint32_t end);
    void begin_more();
    bool take_next();

    std::uint32_t count_;
    Append append_;
    int level_;
    std::uint32_t begun_ = 0;  ///< Number of allocations whose pieces are complete or in progress
    bool has_begun_last_ = false;
    std::string ready_;
    std::size_t used_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::uint32_t text_crc_ = 0;
    std::deque<std::future<Piece>> making_;  ///< Last member, so that its threads end before the other members are destroyed
};

}  // namespace snapviewer
