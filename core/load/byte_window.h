#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/load/byte_source.h"
#include "core/load/failure.h"

namespace snapviewer {

/// The unread rest of a ByteWindow and its source.
class RestOfWindow : public ByteSource {
public:
    RestOfWindow(std::string_view ahead, std::uint64_t begin, ByteSource& source, const std::optional<Failure>& broken)
        : ahead_(ahead), begin_(begin), source_(source), broken_(broken) {}

    std::uint64_t begin() const { return begin_; }  ///< offset of its first byte in the file
    std::string_view next_piece() override {
        if (!ahead_.empty()) return std::exchange(ahead_, {});
        if (broken_) throw Failure(*broken_);
        return source_.next_piece();
    }
    bool keeps_pieces() const override { return source_.keeps_pieces(); }

private:
    std::string_view ahead_;
    std::uint64_t begin_;
    ByteSource& source_;
    std::optional<Failure> broken_;
};

/// The part of a source that is in memory as one contiguous stretch. A reader walks it by pointer and asks for more at its
/// end. Pieces that the source keeps in memory are not copied.
class ByteWindow {
protected:
    /// `source` begins at the byte `begin` of the file.
    explicit ByteWindow(ByteSource& source, std::uint64_t begin = 0) : source_(source), begin_offset_(begin) {}

    /// Makes `count` bytes available from at_ on. Throws a failure that is_cut if the source ends before, or the source's
    /// own failure.
    void need(std::uint64_t count) {
        while (static_cast<std::uint64_t>(end_ - at_) < count) {
            if (!extend()) fail_at_end();
        }
    }

    /// Adds a piece behind end_. Of the bytes before it, only those from start_ on are kept, and they may move. Returns
    /// false at the end of the source.
    bool extend();

    /// The bytes from at_ on. The window must not be used while the result is read.
    RestOfWindow take_rest() const {
        return {
            {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)}, offset_of(at_), source_, broken_};
    }

    /// Offset in the file of `at`, a pointer into the window.
    std::uint64_t offset_of(const std::uint8_t* at) const { return begin_offset_ + static_cast<std::uint64_t>(at - begin_); }

    /// A number in the byte order of the file, which is little-endian.
    template <typename T>
    T take() {
        need(sizeof(T));
        at_ += sizeof(T);
        return load<T>(at_ - sizeof(T));
    }

    /// A number at a place in the window, which must hold it completely.
    template <typename T>
    static T load(const std::uint8_t* from) {
        T value;
        std::memcpy(&value, from, sizeof(T));
        if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
        return value;
    }

    template <typename T>
    static T swap_bytes(T value) {
        std::uint8_t raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }

    const std::uint8_t* start_ = nullptr;  ///< begin of the item that is being read; earlier bytes are dropped
    const std::uint8_t* at_ = nullptr;     ///< the next byte
    const std::uint8_t* end_ = nullptr;

private:
    std::string_view next_piece();
    [[noreturn]] void fail_at_end() const;

    ByteSource& source_;
    const std::uint8_t* begin_ = nullptr;
    std::uint64_t begin_offset_;
    std::vector<std::uint8_t> kept_;  ///< the window's own memory, used if the source does not keep its pieces
    std::optional<Failure> broken_;   ///< the failure that ended the source, if there was one
};

}  // namespace snapviewer
