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

/// What a ByteWindow has not passed, and the rest of its source.
class RestOfWindow : public ByteSource {
public:
    RestOfWindow(std::string_view ahead, std::uint64_t begin, ByteSource& source, const std::optional<ReadFailure>& broken)
        : ahead_(ahead), begin_(begin), source_(source), broken_(broken) {}

    std::uint64_t begin() const { return begin_; }  ///< the byte of the file at which it begins
    std::string_view next_piece() override {
        if (!ahead_.empty()) return std::exchange(ahead_, {});
        if (broken_) throw ReadFailure(*broken_);
        return source_.next_piece();
    }
    bool keeps_pieces() const override { return source_.keeps_pieces(); }

private:
    std::string_view ahead_;
    std::uint64_t begin_;
    ByteSource& source_;
    std::optional<ReadFailure> broken_;
};

/// A stretch of a source that lies whole in memory and moves along: a reader walks it by pointer and asks for more where it
/// ends. What a source keeps in memory is not copied.
class ByteWindow {
protected:
    /// `source` begins at the byte `begin` of the file.
    explicit ByteWindow(ByteSource& source, std::uint64_t begin = 0) : source_(source), begin_offset_(begin) {}

    /// At least so many bytes from at_ on, or a failure that is_cut, or the source's own.
    void need(std::uint64_t count) {
        while (static_cast<std::uint64_t>(end_ - at_) < count) {
            if (!extend()) fail_at_end();
        }
    }

    /// Adds a piece behind end_; of what lies before it, only what begins at start_ stays, at times elsewhere in memory.
    /// False at the end.
    bool extend();

    /// What comes from at_ on. The window is not used any more while that is read.
    RestOfWindow take_rest() const {
        return {
            {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)}, offset_of(at_), source_, broken_};
    }

    /// Byte of the file at which `at`, a place in the window, lies.
    std::uint64_t offset_of(const std::uint8_t* at) const { return begin_offset_ + static_cast<std::uint64_t>(at - begin_); }

    /// A number in the byte order of the file, which is little-endian.
    template <typename T>
    T take() {
        need(sizeof(T));
        at_ += sizeof(T);
        return load<T>(at_ - sizeof(T));
    }

    /// The same of a place in the window that is known to have it.
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

    const std::uint8_t* start_ = nullptr;  ///< of what is being read; nothing before it is looked at again
    const std::uint8_t* at_ = nullptr;     ///< the next byte
    const std::uint8_t* end_ = nullptr;

private:
    std::string_view next_piece();
    [[noreturn]] void fail_at_end() const;

    ByteSource& source_;
    const std::uint8_t* begin_ = nullptr;
    std::uint64_t begin_offset_;
    std::vector<std::uint8_t> kept_;     ///< the window itself, where pieces do not stay
    std::optional<ReadFailure> broken_;  ///< why the source ended, unless it simply did
};

}  // namespace snapviewer
