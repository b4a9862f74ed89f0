#pragma once

#include <cstddef>
#include <cstdint>

namespace snapviewer::fuzz {

/// Makes decisions of bytes; zeros once they are used up.
class ByteFeed {
public:
    ByteFeed(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

    bool at_end() const { return next_ == end_; }
    std::uint8_t byte() { return at_end() ? std::uint8_t{0} : *next_++; }
    /// Any magnitude: two bytes of mantissa, shifted by a third.
    std::uint64_t number() {
        const std::uint64_t mantissa = std::uint64_t{byte()} << 8 | byte();
        return mantissa << byte() % 49;
    }

private:
    const std::uint8_t* next_;
    const std::uint8_t* end_;
};

}  // namespace snapviewer::fuzz
