#include "core/base/string_pool.h"

namespace snapviewer {

std::size_t StringPool::slot_of(std::string_view text) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_(text.data(), text.size()) & mask;
    while (slots_[slot] != 0 && view(StringId{slots_[slot] - 1}) != text) slot = (slot + 1) & mask;
    return slot;
}

void StringPool::grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
    for (std::uint32_t index = 0; index < ends_.size(); ++index) slots_[slot_of(view(StringId{index}))] = index + 1;
}

StringId StringPool::intern(std::string_view text) {
    if (slots_.size() < 2 * (ends_.size() + 1)) grow();
    const std::size_t slot = slot_of(text);
    if (slots_[slot] == 0) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        ends_.push_back(bytes_.size());
        slots_[slot] = static_cast<std::uint32_t>(ends_.size());
    }
    return StringId{slots_[slot] - 1};
}

StringId StringPool::find(std::string_view text) const {
    if (slots_.empty()) return StringId::none();
    const std::uint32_t found = slots_[slot_of(text)];
    return found == 0 ? StringId::none() : StringId{found - 1};
}

std::size_t StringPool::memory_bytes() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(ends_[0]) + slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace snapviewer
