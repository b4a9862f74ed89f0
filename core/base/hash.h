#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace snapviewer {

/// Mixes the bits of a number, so that each input bit affects all 64 output bits (the finaliser of MurmurHash3, public
/// domain constants).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

/// Hashes bytes. The result is the same in every run and on every machine of the same byte order, so that colours derived
/// from it are stable.
inline std::uint64_t hash_bytes(const void* data, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ (size * 0xff51afd7ed558ccdULL);
    for (; size >= 8; at += 8, size -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
        hash ^= hash >> 32;
    }
    std::uint64_t rest = 0;
    if (size != 0) std::memcpy(&rest, at, size);  // memcpy must not get the null pointer of an empty range
    return mix_bits(hash ^ rest);
}

/// Hash function for tables whose keys come from a file. Its key is random in every run, so an attacker cannot craft a file
/// whose keys all collide and turn each lookup into a scan of the whole table. For values that must be the same in every
/// run, such as colours, use hash_bytes() (core/base/hash.h) instead.
class KeyedHash {
public:
    /// Uses the random key of this process.
    KeyedHash();

    std::uint64_t operator()(std::uint64_t number) const { return fold(number ^ key_, multiplier_); }

    std::uint64_t operator()(std::string_view text) const { return (*this)(text.data(), text.size()); }

    std::uint64_t operator()(const void* data, std::size_t size) const {
        const auto* at = static_cast<const unsigned char*>(data);
        std::uint64_t hash = fold(size ^ key_, multiplier_);
        for (; size > 16; at += 16, size -= 16)
            hash = fold(load<std::uint64_t>(at) ^ key_, load<std::uint64_t>(at + 8) ^ hash);
        // The last up to 16 bytes. The two halves may overlap; that is harmless because `hash` includes the size.
        std::uint64_t low = 0, high = 0;
        if (size >= 8) {
            low = load<std::uint64_t>(at);
            high = load<std::uint64_t>(at + size - 8);
        } else if (size >= 4) {
            low = load<std::uint32_t>(at);
            high = load<std::uint32_t>(at + size - 4);
        } else if (size > 0) {
            low = static_cast<std::uint64_t>(at[0]) << 16 | static_cast<std::uint64_t>(at[size / 2]) << 8 | at[size - 1];
        }
        return fold(low ^ key_, high ^ hash);
    }

private:
    template <typename T>
    static T load(const unsigned char* at) {
        T value;
        std::memcpy(&value, at, sizeof(T));
        return value;
    }

    /// XORs both halves of the 128-bit product. Because the factors contain secret numbers, no chosen difference between
    /// inputs cancels out.
    static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

    /// The key. `multiplier_` is odd and therefore never 0: with a factor of 0, fold() would map all inputs to 0.
    std::uint64_t key_;
    std::uint64_t multiplier_;
};

/// Hashes a pair of numbers that come from a file.
struct KeyedPairHash {
    KeyedHash hash;
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const {
        return hash(hash(pair.first) ^ pair.second);
    }
};

/// Returns the bytes of an array as a key for HashIndex.
template <typename T>
std::string_view key_bytes(const T* values, std::size_t count) {
    static_assert(std::has_unique_object_representations_v<T>);
    return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

/// A hash table of rows whose keys are in the owner's columns. It stores only the numbers of the rows, in 8 to 16 bytes per
/// row. Keys are numbers or texts, and may come from a file. Each function gets `key_of(row)`, which returns the key of a
/// row in the table.
///
///     const auto name_of = [&](std::uint32_t row) { return std::string_view(names[row]); };
///     const std::uint32_t row = rows.find_or_add(name, name_of, names.size());
///     if (row == names.size()) names.emplace_back(name);
class HashIndex {
public:
    static constexpr std::uint32_t k_absent = 0xFFFFFFFF;

    /// Returns the row with a key, or k_absent.
    template <typename Key, typename KeyOf>
    std::uint32_t find(const Key& key, KeyOf key_of) const {
        return slots_.empty() ? k_absent : slots_[slot_of(key, key_of)];
    }

    /// Returns the row with a key. Adds `new_row` if the table has no such row. The caller may replace the returned row by
    /// another one with the same key.
    template <typename Key, typename KeyOf>
    std::uint32_t& find_or_add(const Key& key, KeyOf key_of, std::size_t new_row) {
        if (slots_.size() < 2 * (row_count_ + 1)) grow(key_of);
        std::uint32_t& row = slots_[slot_of(key, key_of)];
        if (row == k_absent) {
            row = static_cast<std::uint32_t>(new_row);
            ++row_count_;
        }
        return row;
    }

    /// Removes a key that is in the table. Moves later rows of the probe sequence up, so that no deleted slots remain.
    template <typename Key, typename KeyOf>
    void erase(const Key& key, KeyOf key_of) {
        std::size_t hole = slot_of(key, key_of);
        for (std::size_t slot = next(hole); slots_[slot] != k_absent; slot = next(slot)) {
            const std::size_t wanted = home(key_of(slots_[slot]));
            const bool stays = hole <= slot ? (hole < wanted && wanted <= slot) : (hole < wanted || wanted <= slot);
            if (stays) continue;
            slots_[hole] = slots_[slot];
            hole = slot;
        }
        slots_[hole] = k_absent;
        --row_count_;
    }

    std::size_t memory_bytes() const { return slots_.capacity() * sizeof(slots_[0]); }

private:
    template <typename Key>
    std::size_t home(const Key& key) const {
        return hash_(key) & (slots_.size() - 1);
    }
    std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    template <typename Key, typename KeyOf>
    std::size_t slot_of(const Key& key, KeyOf key_of) const {
        std::size_t slot = home(key);
        while (slots_[slot] != k_absent && key_of(slots_[slot]) != key) slot = next(slot);
        return slot;
    }

    template <typename KeyOf>
    void grow(KeyOf key_of) {
        std::vector<std::uint32_t> rows(slots_.empty() ? 64 : 2 * slots_.size(), k_absent);
        rows.swap(slots_);
        for (const std::uint32_t row : rows) {
            if (row != k_absent) slots_[slot_of(key_of(row), key_of)] = row;
        }
    }

    KeyedHash hash_;
    std::vector<std::uint32_t> slots_;  ///< open addressing with linear probing; the size is a power of two
    std::size_t row_count_ = 0;
};

}  // namespace snapviewer
