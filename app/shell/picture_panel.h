#pragma once

#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The panel that shows the timeline, an icicle or the welcome screen, with what features draw over the timeline. Main
/// thread, with the OpenGL context current.
class PicturePanel : public Feature {
public:
    /// All arguments must outlive this object.
    PicturePanel(Session& session, const Pictures& pictures, const Switchboard& board)
        : session_(session), pictures_(pictures), board_(board) {}

    void connect(Switchboard& board) override;

private:
    void draw_panel(const Area& area, Requests& requests);
    void draw_tabs(Requests& requests);
    void count_at_cursor(const Timeline& timeline);
    void draw_timeline(const Timeline& timeline, Requests& requests);

    Session& session_;
    const Pictures& pictures_;
    const Switchboard& board_;
};

}  // namespace snapviewer
