#pragma once

#include <optional>
#include <string>

#include "app/features/app_state.h"
#include "app/features/link/place.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Links to the current view: copies them, and opens the view that a link describes. Main thread.
class Links : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Links(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Shows the place that the link `place` describes, in the open file or, if none is open, in the next file that opens.
    /// Parts that the file does not have are skipped with a notice.
    void show(const std::string& place);
    void connect(Switchboard& board) override;
    void leave() override;
    /// Continues with a pending link once its picture has been built. Called every frame.
    void update() override;

private:
    void copy();
    /// Returns true once the picture is on the screen or cannot be shown at all.
    bool bring_picture(const PictureSpec& picture);
    /// Returns false while the kinds of memory that the link refers to are not known yet.
    bool emphasise(const PictureSpec& picture);
    void show_rest(const LinkedPlace& place);
    void show_select(const PictureSpec& picture);

    AppState& state_;
    Pictures& pictures_;
    Requests* requests_ = nullptr;
    std::optional<LinkedPlace> wanted_;
    bool is_asked_for_ = false;  ///< the picture of `wanted_` was requested
};

}  // namespace snapviewer
