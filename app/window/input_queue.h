#pragma once

#include <cstdint>
#include <deque>
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

/// Hands the keyboard's events to the frames in portions. ImGui before 1.87 looks at the keyboard once a frame, so of a key
/// that goes down and up again within a slow frame it would see nothing. A portion ends with a press that ImGui acts on, and
/// before one that would hide what is in it already; plain typing is never held back.
class InputQueue {
public:
    void push(const InputEvent& event) { events_.push_back(event); }
    std::vector<InputEvent> take_portion();
    bool is_empty() const { return events_.empty(); }

private:
    std::deque<InputEvent> events_;
};

}  // namespace snapviewer
