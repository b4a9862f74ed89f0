#pragma once

#include <string_view>
#include <vector>

#include "app/ui/input_queue.h"

namespace snapviewer {

/// A key with what is held down with it; GLFW's codes.
struct KeyChord {
    int key = 0;
    int mods = 0;  ///< of GLFW_MOD_SHIFT, GLFW_MOD_CONTROL and GLFW_MOD_ALT
    bool operator==(const KeyChord&) const = default;
};

/// Reads "F, Home", "Ctrl+Shift+P", "F11", "Backspace", "+": every chord of a text; those that are on two places of the
/// keyboard (Enter, + and -) twice. A word that is no key gives nothing.
std::vector<KeyChord> key_chords(std::string_view text);

/// Whether an event is this chord. A key that types a sign, as "+", is that with and without Shift; the Super key counts
/// as Ctrl.
bool is_chord(const InputEvent& event, const KeyChord& chord);

/// Whether it is a chord that no text field could take for typing: with Ctrl, or a function key.
bool is_command_chord(const KeyChord& chord);

}  // namespace snapviewer
