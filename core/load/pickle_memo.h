#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/load/object_builder.h"

namespace snapviewer {

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

}  // namespace snapviewer
