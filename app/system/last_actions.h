#pragma once

#include <array>
#include <cstddef>

namespace snapviewer {

/// The actions recorded by note_action(), for crash handlers: preallocated and without a lock. An action that is being
/// recorded at the moment of a crash may come out garbled.
struct LastActions {
    std::array<std::array<char, 160>, 32> texts{};  ///< ring buffer
    std::size_t count = 0;                          ///< number of actions recorded since the start

    /// Number of the oldest recorded action; the recorded ones are [first(), count).
    std::size_t first() const { return count > texts.size() ? count - texts.size() : 0; }
    const char* text(std::size_t number) const { return texts[number % texts.size()].data(); }
};
LastActions& last_actions();

/// Writes the section of a crash report about the last actions by calling `put` with consecutive texts.
template <typename Put>
void put_last_actions(Put put) {
    put("\n\nlast commands, the newest last:\n");
    const LastActions& last = last_actions();
    for (std::size_t i = last.first(); i < last.count; ++i) {
        put("  ");
        put(last.text(i));
        put("\n");
    }
}

}  // namespace snapviewer
