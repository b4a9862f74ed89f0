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
/// is remembered once. Nearly all stacks of a training run come again and again, and are known without looking at their
/// frames. The bytes mean the same as long as no number is given to another value.
class PickleStacks {
public:
    using Bytes = std::span<const std::uint8_t>;

    /// none() if it is new.
    StackId find(Bytes bytes) const {
        if (slots_.empty()) return StackId::none();
        const Known& known = slots_[slot_of(bytes)];
        return known.size == 0 ? StackId::none() : known.stack;
    }

    /// Of a stack that is new. Beyond some size no more are kept.
    void add(Bytes bytes, StackId stack) {
        if (bytes.empty() || text_.size() + bytes.size() > k_most_bytes) return;
        if (slots_.size() < 2 * (count_ + 1)) grow();
        Known& known = slots_[slot_of(bytes)];
        known = {text_.size(), static_cast<std::uint32_t>(bytes.size()), stack};
        text_.insert(text_.end(), bytes.begin(), bytes.end());
        ++count_;
    }

    void clear() {
        slots_.clear();
        text_.clear();
        count_ = 0;
    }

    std::uint64_t memory_bytes() const { return slots_.capacity() * sizeof(Known) + text_.capacity(); }

private:
    static constexpr std::size_t k_most_bytes = std::size_t{64} << 20;
    static constexpr std::size_t k_first_slots = 1024;

    struct Known {
        std::uint64_t first = 0;  ///< of its bytes, in text_
        std::uint32_t size = 0;   ///< 0 of an empty slot
        StackId stack;
    };

    std::size_t slot_of(Bytes bytes) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash_(bytes.data(), bytes.size()) & mask;
        while (slots_[slot].size != 0 && (slots_[slot].size != bytes.size() ||
                                          std::memcmp(text_.data() + slots_[slot].first, bytes.data(), bytes.size()) != 0))
            slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<Known> before(slots_.empty() ? k_first_slots : 2 * slots_.size());
        before.swap(slots_);
        for (const Known& known : before) {
            if (known.size != 0) slots_[slot_of(Bytes(text_).subspan(known.first, known.size))] = known;
        }
    }

    KeyedHash hash_;
    std::vector<Known> slots_;  ///< open addressing
    std::vector<std::uint8_t> text_;
    std::size_t count_ = 0;
};

}  // namespace snapviewer
