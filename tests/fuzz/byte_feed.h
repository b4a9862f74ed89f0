#pragma once

#include <cstddef>
#include <cstdint>

namespace snapviewer::fuzz {

/// Turns the bytes of an input into decisions. Returns zeros after the last byte.
class ByteFeed {
public:
    ByteFeed(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

    bool at_end() const { return next_ == end_; }
    std::uint8_t byte() { return at_end() ? std::uint8_t{0} : *next_++; }
    /// Returns a number of any magnitude: a mantissa of two bytes, shifted by the third byte.
    std::uint64_t number() {
        const std::uint64_t mantissa = std::uint64_t{byte()} << 8 | byte();
        return mantissa << byte() % 49;
    }

private:
    const std::uint8_t* next_;
    const std::uint8_t* end_;
};

}  // namespace snapviewer::fuzz
