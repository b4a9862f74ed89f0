// The static libstdc++ of GCC 12 names this function for std::random_device. glibc has it since 2.36 alone, and nothing else
// in the wheel asks for a glibc as new: so it is here.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
    std::uint32_t bits = 0;
    if (getentropy(&bits, sizeof bits) != 0) std::abort();
    return bits;
}
