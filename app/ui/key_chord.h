#pragma once

#include <string_view>
#include <vector>

#include "app/ui/input_queue.h"

namespace snapviewer {

/// A key together with its modifiers, as GLFW codes.
struct KeyChord {
    int key = 0;
    int mods = 0;  ///< combination of GLFW_MOD_SHIFT, GLFW_MOD_CONTROL and GLFW_MOD_ALT
    bool operator==(const KeyChord&) const = default;
};

/// Parses a list of shortcuts such as "F, Home", "Ctrl+Shift+P", "F11", "Backspace" or "+". Keys that exist twice on the
/// keyboard (Enter, + and -) give two chords. Unknown names are skipped.
std::vector<KeyChord> key_chords(std::string_view text);

/// True if the event is a press of this chord. A key that types a symbol, such as "+", matches with and without Shift. The
/// Super key counts as Ctrl.
bool is_chord(const InputEvent& event, const KeyChord& chord);

/// True if the chord cannot be text input: a chord with Ctrl, or a function key.
bool is_command_chord(const KeyChord& chord);

}  // namespace snapviewer
