#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/requests.h"
#include "app/ui/input_queue.h"
#include "app/ui/key_chord.h"

namespace snapviewer {

/// Keyboard input: shortcuts make the requests of their commands, and motion keys move the picture while they are held.
class Keyboard {
public:
    /// All arguments must outlive the Keyboard. No command may be added afterwards, because the shortcuts hold pointers to
    /// the commands.
    Keyboard(AppState& state, const Commands& commands, Requests& requests);

    /// Handles the events since the last frame. Call it between ImGui::NewFrame() and ImGui::Render().
    void handle(const std::vector<InputEvent>& events, bool lost_focus);
    /// Treats every held key as released.
    void release_all() { held_keys_.clear(); }
    bool moves_picture() const { return !held_keys_.empty(); }

private:
    void handle_press(const InputEvent& event);
    void move_picture(const InputEvent& event);
    void move_by_held_keys();

    struct Shortcut {
        KeyChord chord;
        const Command* command;
    };

    AppState& state_;
    Requests& requests_;
    std::vector<Shortcut> shortcuts_;
    /// Held keys that move the picture, with the times of their presses.
    std::map<int, std::chrono::steady_clock::time_point> held_keys_;
    bool keys_move_picture_ = true;
    bool had_popup_ = false;  ///< whether a popup, such as a menu, was open in the last frame
};

}  // namespace snapviewer
