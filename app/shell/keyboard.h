#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/requests.h"
#include "app/ui/input_queue.h"
#include "app/ui/key_chord.h"

namespace snapviewer {

/// The keyboard: the keys of the commands, which ask, and the keys that move the picture while they are held.
class Keyboard {
public:
    /// All outlive this, and no command is added any more.
    Keyboard(AppState& state, const Commands& commands, Requests& requests);

    /// What came since the last frame; within one.
    void handle(const std::vector<InputEvent>& events, bool lost_focus);
    /// As if every key had been let go.
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
    std::map<int, std::chrono::steady_clock::time_point> held_keys_;  ///< keys that move the picture, and since when
    bool keys_move_picture_ = true;
    bool had_popup_ = false;  ///< a menu or the like was open in the frame before
};

}  // namespace snapviewer
