#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/requests.h"
#include "app/window/input_queue.h"

namespace snapviewer {

/// The keyboard: the keys of the actions, which ask, and the keys that move the picture while they are held.
class Keyboard {
public:
    /// Both outlive this.
    Keyboard(AppState& state, Requests& requests) : state_(state), requests_(requests) {}

    /// What came since the last frame; within one.
    void handle(const std::vector<InputEvent>& events, bool lost_focus);
    /// As if every key had been let go.
    void release_all() { held_keys_.clear(); }
    bool moves_picture() const { return !held_keys_.empty(); }

private:
    void handle_press(const InputEvent& event);
    void move_picture(const InputEvent& event);
    void move_by_held_keys();

    AppState& state_;
    Requests& requests_;
    std::map<int, std::chrono::steady_clock::time_point> held_keys_;  ///< keys that move the picture, and since when
    bool keys_move_picture_ = true;
};

}  // namespace snapviewer
