#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>

#include "core/base/ids.h"

namespace snapviewer {

/// A JSON list with one item per allocation, deflated: stretches of it at the same time, on all cores, which are handed over
/// in their order while the next ones are made. Neither the text nor what is deflated is held whole.
class DeflatedList {
public:
    /// Appends the JSON of one allocation. Called by several threads at once, each with a copy of its own.
    using Append = std::function<void(std::string&, AllocationId)>;
    /// `level` as zlib counts them.
    DeflatedList(std::uint32_t count, Append append, int level);

    /// The next bytes of a raw deflate stream, at most `size`; 0 at its end. Throws if the text is more than the budget
    /// allows, and stopped().
    std::size_t read(char* out, std::size_t size);
    /// Of the text whose deflated bytes were read so far.
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
    std::uint32_t begun_ = 0;  ///< allocations whose pieces are made or in the making
    bool has_begun_last_ = false;
    std::string ready_;
    std::size_t used_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::uint32_t text_crc_ = 0;
    std::deque<std::future<Piece>> making_;  ///< last, so that its threads end before the rest goes
};

}  // namespace snapviewer
