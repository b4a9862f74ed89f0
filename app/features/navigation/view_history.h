#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// What was in view before, and the way back to it and forth again, as in a browser. A drag, a turn of the wheel or a key
/// that is held is one movement, however many frames it takes; every jump is one of its own.
class ViewHistory : public Feature {
public:
    /// Both outlive this.
    ViewHistory(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// To be called once the mouse and held keys have moved the view, every frame. `is_held`: what moves it now is still
    /// held down.
    void note_movement(double now_s, bool is_held);
    /// To be called after what was asked for is carried out, every frame.
    void note_jump();
    void go(bool back);
    /// After the file changed.
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
    std::vector<Place> before_, after_;  ///< the nearest last
    std::optional<Place> last_;          ///< what was in view when this looked last
    double moved_at_s_ = -1e9;           ///< when a movement was seen last
    bool was_held_ = false;              ///< in the frame before
    bool has_hold_moved_ = false;        ///< what is held has moved the view
};

}  // namespace snapviewer
