#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <variant>
#include <vector>

namespace snapviewer {

/// A key press, repeat or release, or a typed character. Codes and values are GLFW's.
struct InputEvent {
    int key = 0;  ///< GLFW key code; 0 for a character
    int scancode = 0;
    int action = 0;
    int mods = 0;
    std::uint32_t character = 0;  ///< Unicode code point; 0 for a key
};

/// True for the press of a key that types a character.
bool is_plain_text(const InputEvent& event);

/// The mouse moved to this position, in GLFW's window coordinates.
struct MouseMove {
    double x = 0;
    double y = 0;
};

struct MouseButton {
    int button = 0;  ///< GLFW's button number
    bool is_down = false;
};

/// Number of notches by which the wheel was turned, to the right and upwards.
struct WheelTurn {
    double x = 0;
    double y = 0;
};

/// The input that one frame receives.
struct InputPortion {
    std::vector<InputEvent> keys;
    std::vector<MouseMove> moves;
    std::vector<MouseButton> buttons;  ///< at most one button event, at the position of the last move
    WheelTurn wheel;                   ///< sum of all turns, at the position of the last move
};

/// Distributes input events over frames. ImGui before 1.87 samples keyboard and mouse once a frame: a key pressed and
/// released within a slow frame would be lost, two clicks would become one, and a click would happen at a later mouse
/// position. A portion ends after an event to which ImGui reacts, and before an event that would hide an earlier one. Plain
/// typing is never delayed.
class InputQueue {
public:
    void push(const InputEvent& event) { events_.push_back(event); }
    void push(const MouseMove& move) { events_.push_back(move); }
    void push(const MouseButton& button) { events_.push_back(button); }
    void push(const WheelTurn& turn) { events_.push_back(turn); }
    InputPortion take_portion();
    bool is_empty() const { return events_.empty(); }

private:
    std::deque<std::variant<InputEvent, MouseMove, MouseButton, WheelTurn>> events_;
};

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
