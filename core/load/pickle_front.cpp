#include "core/load/pickle_front.h"

#include <cstdint>

#include "core/load/pickle_opcodes.h"

namespace snapviewer {

bool looks_like_pickle(std::string_view front) {
    using namespace pickle;
    if (front.size() < 2) return false;
    const auto second = static_cast<std::uint8_t>(front[1]);
    switch (static_cast<std::uint8_t>(front[0])) {
        case k_proto: return second >= 2;
        case k_mark: return second == k_dict || second == k_list;  // protocol 0
        case k_empty_dict:
        case k_empty_list: return second == k_binput || second == k_mark || second == k_stop;  // protocol 1
        default: return false;
    }
}

std::size_t behind_torch_save_number(std::string_view front) {
    // An instruction with a number of 80 bits, and the end of the pickle.
    constexpr std::string_view k_number = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const std::size_t at = front.substr(0, k_torch_save_front).find(k_number);
    return at == front.npos ? 0 : at + k_number.size();
}

}  // namespace snapviewer
