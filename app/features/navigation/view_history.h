#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Back and forward through earlier views, as in a browser. A drag, a turn of the wheel or a held key is one movement and
/// one entry, however many frames it takes; every jump is an entry of its own.
class ViewHistory : public Feature {
public:
    /// Keeps references; both must outlive this object.
    ViewHistory(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Records movement. Call every frame, after the mouse and held keys have moved the view. `is_held`: the button or key
    /// that moves the view is still down.
    void note_movement(double now_s, bool is_held);
    /// Records jumps. Call every frame, after the requests have been handled.
    void note_jump();
    void go(bool back);
    /// Clears the history. Call after the file has changed.
    void forget();
    void connect(Switchboard& board) override;
    void leave() override { forget(); }
    void describe(nlohmann::json& report) const override;

private:
    void go_back(Requests& requests);
    struct Place {
        std::size_t device_index = 0;
        ViewKind kind = ViewKind::allocations;
        Axis axis = Axis::steps;
        View view;
        bool operator==(const Place&) const = default;
    };
    std::optional<Place> current() const;
    void leave(const std::optional<Place>& place);
    void show_counts();

    AppState& state_;
    Pictures& pictures_;
    std::vector<Place> before_, after_;  ///< places to go back and forward to; the nearest is last
    std::optional<Place> last_;          ///< the place at the last call
    double moved_at_s_ = -1e9;           ///< time of the last movement
    bool was_held_ = false;              ///< `is_held` of the previous frame
    bool has_hold_moved_ = false;        ///< the view has moved since the button or key went down
};

}  // namespace snapviewer
