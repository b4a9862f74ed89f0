#pragma once

#include "app/features/session.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The windows of the Help menu: keyboard and mouse shortcuts, and the About window.
class Help : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Help(Session& session, const Commands& commands) : session_(session), commands_(commands) {}

    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    Session& session_;
    const Commands& commands_;
};

/// Draws the shortcuts window while it is open: mouse gestures first, then every menu command that has a key.
void draw_keys_window(const Commands& commands, bool& is_open, const Session& session);

/// Draws the About window (version, licence, libraries) while it is open.
void draw_about_window(bool& is_open);

}  // namespace snapviewer
