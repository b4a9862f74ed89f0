#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/load/pytorch/object_builder.h"
#include "core/trace/stack_table.h"

namespace snapviewer::pytorch {

/// The memo of a pickle: values by number. A snapshot stores every list and dict in it, and recalls few of them. Therefore
/// an entry takes four bytes, and growing moves no entry.
class PickleMemo {
public:
    /// Stores a value, and replaces an earlier value of the same number. Returns true if there was one.
    bool set(std::uint64_t number, Value value) {
        const std::uint64_t block = number / k_block_cells;
        if (block >= blocks_.size()) blocks_.resize(block + 1);
        if (!blocks_[block]) blocks_[block] = std::make_unique<Block>();
        std::uint32_t& cell = (*blocks_[block])[number % k_block_cells];
        const bool was_set = cell != k_unset;
        cell = cell_of(value);
        if (number >= next_) next_ = number + 1;
        return was_set;
    }

    /// Returns the value of a number, or nullopt if none was stored.
    std::optional<Value> find(std::uint64_t number) const {
        const std::uint64_t block = number / k_block_cells;
        if (block >= blocks_.size() || !blocks_[block]) return std::nullopt;
        const std::uint32_t cell = (*blocks_[block])[number % k_block_cells];
        if (cell == k_unset) return std::nullopt;
        const std::uint32_t index = cell & k_index_mask;
        const std::uint32_t tag = cell >> k_index_bits;
        return tag == k_other ? others_[index - 1] : Value{k_kinds[tag], index};
    }

    /// Returns the number after the highest one so far.
    std::uint64_t next() const { return next_; }

private:
    static constexpr std::uint32_t k_unset = 0;
    static constexpr unsigned k_index_bits = 30;
    static constexpr std::uint32_t k_index_mask = (1U << k_index_bits) - 1;
    enum Tag : std::uint32_t { k_other, k_string, k_list, k_dict };
    static constexpr std::array k_kinds = {Value::Kind::none, Value::Kind::string, Value::Kind::list, Value::Kind::dict};
    static constexpr std::uint64_t k_block_cells = 1 << 16;
    using Block = std::array<std::uint32_t, k_block_cells>;

    std::uint32_t cell_of(Value value) {
        if (value.bits <= k_index_mask) {
            const auto index = static_cast<std::uint32_t>(value.bits);
            if (value.kind == Value::Kind::dict) return k_dict << k_index_bits | index;
            if (value.kind == Value::Kind::list) return k_list << k_index_bits | index;
            if (value.kind == Value::Kind::string) return k_string << k_index_bits | index;
        }
        others_.push_back(value);
        return static_cast<std::uint32_t>(others_.size());  // counts from 1, so that no cell equals k_unset
    }

    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<Value> others_;
    std::uint64_t next_ = 0;
};

/// Cache of the stacks read so far. The key is the bytes that encode a stack: in a pickle the memo numbers of its frames, in
/// JSON the text of the list. Nearly all stacks of a training run repeat. 93 of 100 follow the same three stacks as at their
/// last occurrence (58 of 100 if only one preceding stack is compared). Therefore the next stack can be predicted and
/// recognised without looking at its frames. The bytes of a pickle keep their meaning only until a memo number is given
/// another value; call clear() then.
class RepeatedStacks {
public:
    using Bytes = std::span<const std::uint8_t>;

    struct Known {
        std::uint64_t first = 0;  ///< Offset of the encoding in text_
        std::uint32_t size = 0;
        StackId stack;
    };

    /// Returns the predicted stack: the one that followed the newest three stacks the last time. It must be encoded at the
    /// beginning of `bytes`, followed by `end`; it then becomes the newest stack. Returns null otherwise.
    const Known* find_next(Bytes bytes, std::uint8_t end) {
        if (known_.empty()) return nullptr;
        const std::uint32_t index = guesses_[guess_place()];
        const Known& next = known_[index];
        if (bytes.size() <= next.size || bytes[next.size] != end ||
            std::memcmp(bytes.data(), text_.data() + next.first, next.size) != 0)
            return nullptr;
        return &make_newest(index);
    }

    /// Returns the stack whose encoding is `bytes`, and makes it the newest one. Returns null if the cache does not contain
    /// it.
    const Known* find(Bytes bytes) {
        const std::uint32_t index = indices_.find(text_of(bytes), [this](std::uint32_t known) { return text(known); });
        return index == HashIndex::k_absent ? nullptr : &make_newest(index);
    }

    /// Adds a stack that find() did not return. No-op if the encodings would take more than k_max_cached_bytes.
    void add(Bytes bytes, StackId stack) {
        if (bytes.empty() || text_.size() + bytes.size() > k_max_cached_bytes) return;
        if (guesses_.empty()) guesses_.resize(k_guesses);
        const std::uint32_t index = indices_.find_or_add(
            text_of(bytes), [this](std::uint32_t known) { return text(known); }, known_.size());
        known_.push_back({text_.size(), static_cast<std::uint32_t>(bytes.size()), stack});
        text_.insert(text_.end(), bytes.begin(), bytes.end());
        make_newest(index);
    }

    void clear() {
        indices_ = {};
        known_.clear();
        text_.clear();
        guesses_.clear();
        newest_ = {};
    }

private:
    static constexpr std::size_t k_max_cached_bytes = std::size_t{64} << 20;
    static constexpr int k_guess_bits = 14;
    static constexpr std::size_t k_guesses = std::size_t{1} << k_guess_bits;

    /// Index in guesses_ for the newest three stacks, by a hash. Collisions overwrite each other, because a wrong guess
    /// costs only one comparison.
    std::size_t guess_place() const {
        constexpr std::uint64_t k_golden = 0x9E3779B97F4A7C15;
        std::uint64_t mixed = 0;
        for (const std::uint32_t index : newest_) mixed = (mixed ^ index) * k_golden;
        return mixed >> (64 - k_guess_bits);
    }

    const Known& make_newest(std::uint32_t index) {
        guesses_[guess_place()] = index;
        newest_ = {newest_[1], newest_[2], index};
        return known_[index];
    }

    static std::string_view text_of(Bytes bytes) { return key_bytes(bytes.data(), bytes.size()); }
    std::string_view text(std::uint32_t index) const {
        return key_bytes(text_.data() + known_[index].first, known_[index].size);
    }

    HashIndex indices_;  ///< Indices into known_
    std::vector<Known> known_;
    std::vector<std::uint8_t> text_;
    std::array<std::uint32_t, 3> newest_{};  ///< Indices into known_ of the stacks that were found or added last
    /// Index into known_ of the stack that came next the last time; indexed by guess_place().
    std::vector<std::uint32_t> guesses_;
};

}  // namespace snapviewer::pytorch
