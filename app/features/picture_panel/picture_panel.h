#pragma once

#include <string>
#include <vector>

#include "app/features/session.h"
#include "app/features/timeline/overlay_items.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"

namespace snapviewer::picture_panel {

/// The panel that shows the timeline, an icicle or the welcome screen, with what features draw over the timeline; and the
/// choices of picture, device, colours and overlays in the menu and above the picture. Main thread, with the OpenGL context
/// current.
class PicturePanel : public Feature {
public:
    /// All arguments must outlive this object.
    PicturePanel(Session& session, const Pictures& pictures, const Switchboard& board)
        : session_(session), pictures_(pictures), board_(board) {}

    void connect(Switchboard& board) override;
    /// The axis, the counts and the peak of the picture.
    std::string file_note() const override;

private:
    void draw_panel(const Area& area, Requests& requests);
    void draw_tabs(Requests& requests);
    void count_at_cursor(const Timeline& timeline);
    void draw_timeline(const Timeline& timeline, Requests& requests);
    std::string cursor_text() const;

    void draw_choice(const Command& command, const std::string& rect, Requests& requests) const;
    void draw_switches(Requests& requests) const;
    void draw_kind_switch(float from_right, Requests& requests) const;
    std::vector<OverlayItem> overlays() const;
    void draw_overlays_menu(Requests& requests) const;
    float draw_bar(ScreenPoint pos, Requests& requests) const;
    void draw_colour_combo(Requests& requests) const;
    void draw_switch(CommandId id, Requests& requests) const;

    Session& session_;
    const Pictures& pictures_;
    const Switchboard& board_;
};

}  // namespace snapviewer::picture_panel
