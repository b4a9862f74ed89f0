#include "core/base/hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace snapviewer {
namespace {

std::uint64_t random_number() {
    try {
        std::random_device device;
        return static_cast<std::uint64_t>(device()) << 32 | device();
    } catch (const std::exception&) {  // without a random device, use the clock and an address
        const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        return mix_bits(now ^ reinterpret_cast<std::uintptr_t>(&now));
    }
}

}  // namespace

KeyedHash::KeyedHash() {
    static const std::uint64_t key = random_number();
    static const std::uint64_t multiplier = random_number() | 1;
    key_ = key;
    multiplier_ = multiplier;
}

}  // namespace snapviewer
