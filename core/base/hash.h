#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

}  // namespace snapviewer
