#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer::navigation {

/// Switches the axis of the timeline between steps and time; no-op with an icicle on the screen.
void toggle_axis(Session& session);
/// Shows a picture: 0 is the timeline, i + 1 the document's i-th icicle.
void show_picture(Session& session, std::size_t picture);

/// The commands and requests that move the view.
class Navigation : public Feature {
public:
    /// Keeps a reference, which must outlive this object.
    explicit Navigation(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;
    void leave() override;
    void adopt() override;

private:
    void connect_movement(Commands& commands);
    void connect_axes(Commands& commands);

    Session& session_;
};

/// Back and forward through earlier views, as in a browser. A drag, a turn of the wheel or a held key is one movement and
/// one entry, however many frames it takes; every jump is an entry of its own.
class ViewHistory : public Feature {
public:
    struct Place {
        std::size_t device_index = 0;
        ViewKind kind = ViewKind::allocations;
        Axis axis = Axis::steps;
        View view;
        bool operator==(const Place&) const = default;
    };

    /// Keeps references; both must outlive this object.
    ViewHistory(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    void go(bool back);
    /// Clears the history. Call after the file has changed.
    void forget();
    void connect(Switchboard& board) override;
    void leave() override { forget(); }
    /// Goes back in the icicle on the screen.
    bool dismiss(Requests& requests) override;
    /// Records movement, after the mouse and held keys have moved the view.
    void end_drawing(double now_s) override;
    /// Records jumps, which are requests.
    void end_frame() override;

    /// Places to go back and forward to; the nearest is last.
    const std::vector<Place>& before() const { return before_; }
    const std::vector<Place>& after() const { return after_; }

private:
    void go_back(Requests& requests);
    std::optional<Place> current() const;
    void leave(const std::optional<Place>& place);

    Session& session_;
    Pictures& pictures_;
    std::vector<Place> before_, after_;
    std::optional<Place> last_;    ///< the place when the history was last updated
    double moved_at_s_ = -1e9;     ///< time of the last movement
    bool was_held_ = false;        ///< the button that moves the view was down in the previous frame
    bool has_hold_moved_ = false;  ///< the view has moved since the button or key went down
};

}  // namespace snapviewer::navigation
