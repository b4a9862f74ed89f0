#pragma once

#include <array>
#include <cstddef>

namespace snapviewer {

/// What note_action() took down, for what writes a report when the program has crashed: memory that is there before anything
/// goes wrong, and no lock. An action that is being noted at that very moment may come out garbled.
struct LastActions {
    std::array<std::array<char, 160>, 32> texts{};  ///< a ring
    std::size_t count = 0;                          ///< of all that were ever noted

    /// The newest are [first(), count), each at its number modulo the size of the ring.
    std::size_t first() const { return count > texts.size() ? count - texts.size() : 0; }
    const char* text(std::size_t number) const { return texts[number % texts.size()].data(); }
};
LastActions& last_actions();

/// The part of a report that is about them, by what takes texts one after another.
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
