#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/base/keyed_hash.h"

namespace snapviewer {

/// The stacks that were read so far, by the bytes that stand for one in a pickle: the numbers of its frames, each of which
/// is remembered once. Nearly all stacks of a training run come again and again, mostly after the same one as the last time,
/// and are known without looking at their frames. The bytes mean the same as long as no number is given to another value.
class PickleStacks {
public:
    using Bytes = std::span<const std::uint8_t>;

    struct Known {
        std::uint64_t first = 0;  ///< of its bytes, in text_
        std::uint32_t size = 0;
        StackId stack;
        std::uint32_t next = 0;  ///< what came after it the last time, in known_
    };

    /// The stack that came after the newest one the last time, if it stands at the beginning of `bytes` and `end` comes
    /// after it; then that is the newest one. Else null.
    const Known* find_next(Bytes bytes, std::uint8_t end) {
        if (known_.empty()) return nullptr;
        const std::uint32_t index = known_[newest_].next;
        const Known& next = known_[index];
        if (bytes.size() <= next.size || bytes[next.size] != end ||
            std::memcmp(bytes.data(), text_.data() + next.first, next.size) != 0)
            return nullptr;
        newest_ = index;
        return &next;
    }

    /// The same by all of the bytes of any stack.
    const Known* find(Bytes bytes) {
        if (known_.empty()) return nullptr;
        const std::uint32_t number = slots_[slot_of(bytes)];
        return number == 0 ? nullptr : &make_newest(number - 1);
    }

    /// Of a stack that is new. Beyond some size no more are kept.
    void add(Bytes bytes, StackId stack) {
        if (bytes.empty() || text_.size() + bytes.size() > k_most_bytes) return;
        if (slots_.size() < 2 * (known_.size() + 1)) grow();
        const auto index = static_cast<std::uint32_t>(known_.size());
        slots_[slot_of(bytes)] = index + 1;
        known_.push_back({text_.size(), static_cast<std::uint32_t>(bytes.size()), stack, index});
        text_.insert(text_.end(), bytes.begin(), bytes.end());
        make_newest(index);
    }

    void clear() {
        slots_.clear();
        known_.clear();
        text_.clear();
        newest_ = 0;
    }

    std::uint64_t memory_bytes() const {
        return slots_.capacity() * sizeof(slots_[0]) + known_.capacity() * sizeof(Known) + text_.capacity();
    }

private:
    static constexpr std::size_t k_most_bytes = std::size_t{64} << 20;
    static constexpr std::size_t k_first_slots = 1024;

    const Known& make_newest(std::uint32_t index) {
        known_[newest_].next = index;
        newest_ = index;
        return known_[index];
    }

    std::size_t slot_of(Bytes bytes) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash_(bytes.data(), bytes.size()) & mask;
        while (slots_[slot] != 0 && !is_same(known_[slots_[slot] - 1], bytes)) slot = (slot + 1) & mask;
        return slot;
    }

    bool is_same(const Known& known, Bytes bytes) const {
        return known.size == bytes.size() && std::memcmp(text_.data() + known.first, bytes.data(), bytes.size()) == 0;
    }

    void grow() {
        slots_.assign(slots_.empty() ? k_first_slots : 2 * slots_.size(), 0);
        for (std::uint32_t index = 0; index < known_.size(); ++index)
            slots_[slot_of(Bytes(text_).subspan(known_[index].first, known_[index].size))] = index + 1;
    }

    KeyedHash hash_;
    std::vector<std::uint32_t> slots_;  ///< open addressing; index into known_ + 1, 0 = empty
    std::vector<Known> known_;
    std::vector<std::uint8_t> text_;
    std::uint32_t newest_ = 0;  ///< in known_: the one that was found or added last
};

}  // namespace snapviewer
