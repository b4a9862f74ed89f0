#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/keyed_hash.h"

namespace snapviewer {

/// Interned strings. Views stay valid until the pool is changed or destroyed; ids stay valid as long as the pool. Not
/// thread-safe while interning; safe to read from many threads afterwards.
class StringPool {
public:
    /// Returns the id of `text`; adds the text if it is new. Amortised O(length).
    StringId intern(std::string_view text);
    /// Returns the id of `text`, or none() if it was never interned.
    StringId find(std::string_view text) const;
    /// The text of an id; "" for StringId::none().
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
    std::vector<std::uint64_t> ends_;  ///< end of each string in bytes_, by id
    std::vector<std::uint32_t>
        /// Hash table with open addressing: id + 1, or 0 for an empty slot. Its size is a power of two.
        slots_;
};

}  // namespace snapviewer
