#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/keyed_hash.h"

namespace snapviewer {

/// Strings kept once each. Views stay valid until the pool is changed or destroyed; ids stay valid for good.
/// Not thread-safe while interning; safe to read from many threads afterwards.
class StringPool {
public:
    /// The id of `text`, adding it if it is new. Amortised O(length).
    StringId intern(std::string_view text);
    /// The id of `text` if it was interned before.
    StringId find(std::string_view text) const;
    /// "" for StringId::none().
    std::string_view view(StringId id) const {
        if (id.value >= ends_.size()) return {};
        const auto begin = static_cast<std::size_t>(id.value == 0 ? 0 : ends_[id.value - 1]);
        return {bytes_.data() + begin, static_cast<std::size_t>(ends_[id.value]) - begin};
    }
    std::size_t size() const { return ends_.size(); }
    std::size_t memory_bytes() const;

private:
    std::size_t slot_of(std::string_view text) const;
    void grow();

    KeyedHash hash_;
    std::vector<char> bytes_;
    std::vector<std::uint64_t> ends_;   ///< end of string i in bytes_
    std::vector<std::uint32_t> slots_;  ///< open addressing; index + 1, 0 = empty; size is a power of two
};

}  // namespace snapviewer
