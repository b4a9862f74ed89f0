#pragma once

#include <optional>
#include <string>

#include "app/features/app_state.h"
#include "app/features/link/place.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Links to what is on the screen: copies them, and shows what one is about. Main thread.
class Links : public Feature {
public:
    /// Both outlive this.
    Links(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Of the open file, else of the next one that is opened. What the file does not have is told and left out.
    void show(const std::string& place);
    void connect(Switchboard& board) override;
    void leave() override;
    /// Goes on with a place of which the picture has to be made first.
    void update() override;

private:
    void copy();
    /// Whether it is on the screen, or never will be.
    bool bring_picture(const PictureSpec& picture);
    /// False while the kinds of memory, which the link is about, are not told yet.
    bool emphasise(const PictureSpec& picture);
    void show_rest(const LinkedPlace& place);
    void show_select(const PictureSpec& picture);

    AppState& state_;
    Pictures& pictures_;
    Requests* requests_ = nullptr;
    std::optional<LinkedPlace> wanted_;
    bool is_asked_for_ = false;  ///< the picture is
};

}  // namespace snapviewer
