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

/// The unread bytes of a ByteWindow, followed by the rest of its source.
class RestOfWindow : public ByteSource {
public:
    RestOfWindow(std::string_view ahead, std::uint64_t begin, ByteSource& source, const std::optional<Failure>& broken)
        : ahead_(ahead), begin_(begin), source_(source), broken_(broken) {}

    std::uint64_t begin() const { return begin_; }  ///< Offset in the file of the first unread byte
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

/// A contiguous part of a source in memory. A derived reader walks through it by the pointer at_ and calls need() or
/// extend() for more bytes. Copies the pieces of the source, unless the source keeps them in memory
/// (ByteSource::keeps_pieces()).
class ByteWindow {
protected:
    /// `source` must outlive this. Its first byte has the offset `begin` in the file.
    explicit ByteWindow(ByteSource& source, std::uint64_t begin = 0) : source_(source), begin_offset_(begin) {}

    /// Makes `count` bytes available from at_ on. Throws a Failure with is_cut if the source ends earlier. Passes on
    /// failures of the source.
    void need(std::uint64_t count) {
        while (static_cast<std::uint64_t>(end_ - at_) < count) {
            if (!extend()) fail_at_end();
        }
    }

    /// Appends the next piece of the source at end_. Drops the bytes before start_, and may move the others; start_, at_ and
    /// end_ are updated. Returns false at the end of the source.
    bool extend();

    /// Returns the bytes from at_ to the end of the source. The window must not be used while the result is read.
    RestOfWindow take_rest() const {
        return {
            {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)}, offset_of(at_), source_, broken_};
    }

    /// Returns the offset in the file of `at`, a pointer into the window.
    std::uint64_t offset_of(const std::uint8_t* at) const { return begin_offset_ + static_cast<std::uint64_t>(at - begin_); }

    /// Reads the little-endian number at at_ and advances at_. Throws as need() does.
    template <typename T>
    T take() {
        need(sizeof(T));
        at_ += sizeof(T);
        return load<T>(at_ - sizeof(T));
    }

    /// Returns the little-endian number at `from`. The window must contain all of its bytes.
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

    const std::uint8_t* start_ = nullptr;  ///< Begin of the item that is being read; extend() drops earlier bytes
    const std::uint8_t* at_ = nullptr;     ///< The next unread byte
    const std::uint8_t* end_ = nullptr;

private:
    std::string_view next_piece();
    [[noreturn]] void fail_at_end() const;

    ByteSource& source_;
    const std::uint8_t* begin_ = nullptr;
    std::uint64_t begin_offset_;
    std::vector<std::uint8_t> kept_;  ///< Copied bytes; used only if the source does not keep its pieces
    std::optional<Failure> broken_;   ///< Failure that ended the source, or nullopt
};

}  // namespace snapviewer
