#pragma once

#include "app/features/session.h"
#include "app/ui/feature.h"

namespace snapviewer::help {

/// The windows of the Help menu: keyboard and mouse shortcuts, and the About window.
class Help : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Help(const Session& session, const Commands& commands) : session_(session), commands_(commands) {}

    void connect(Switchboard& board) override;
    bool shows_keys() const { return shows_keys_; }

private:
    /// Draws the shortcuts window while it is open: mouse gestures first, then every menu command that has a key.
    void draw_keys_window();
    /// Draws the About window (version, licence, libraries) while it is open.
    void draw_about_window();

    const Session& session_;
    const Commands& commands_;
    bool shows_keys_ = false;
    bool shows_about_ = false;
};

}  // namespace snapviewer::help
