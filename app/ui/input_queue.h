#pragma once

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace snapviewer {

/// A key that went down, was repeated or went up, or a character that was typed. Codes and values are GLFW's.
struct InputEvent {
    int key = 0;  ///< 0 for a character
    int scancode = 0;
    int action = 0;
    int mods = 0;
    std::uint32_t character = 0;  ///< 0 for a key
};

/// Whether a key is one that types a character, as it was pressed.
bool is_plain_text(const InputEvent& event);

/// The mouse came to a place, in GLFW's coordinates of the window.
struct MouseMove {
    double x = 0;
    double y = 0;
};

struct MouseButton {
    int button = 0;  ///< GLFW's
    bool is_down = false;
};

/// The wheel was turned by so many notches, to the right and upwards.
struct WheelTurn {
    double x = 0;
    double y = 0;
};

/// What one frame gets to see.
struct InputPortion {
    std::vector<InputEvent> keys;
    std::vector<MouseMove> moves;
    std::vector<MouseButton> buttons;  ///< at most one; pressed or released at the place of the last move
    WheelTurn wheel;                   ///< all turns together, at that place, too
};

/// Hands events to the frames in portions. ImGui before 1.87 looks at keyboard and mouse once a frame: of a key that goes
/// down and up again within a slow frame it would see nothing, two clicks would be one, and one would be where the mouse is
/// by then. A portion ends with what ImGui acts on, and before what would hide something in it; plain typing is never held
/// back.
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

}  // namespace snapviewer
