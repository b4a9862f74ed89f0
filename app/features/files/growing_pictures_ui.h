#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/features/files/files.h"
#include "app/features/files/growing_picture.h"
#include "app/features/files/state.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Zooms the preview out to all of its events.
void fit_growing_picture(GrowingPictureState& state);

/// Text about the part of the file that the preview shows.
std::string growing_picture_text(const GrowingPictureState& state);

/// Draws the preview as the next item of the current window. Dragging pans, the wheel zooms, a double click zooms out.
void draw_growing_picture(GrowingPictureState& state, render::TimelineCanvas& canvas, ImVec2 size);

/// Shows a preview of a file that takes long to read: the first one soon after loading has begun, and another one whenever
/// twice as much has been read. Previews are computed in parallel with the reading, but not if they would be ready no sooner
/// than the file. Main thread, with the OpenGL context current.
class GrowingPictures : public Feature {
public:
    /// All arguments must outlive this object.
    GrowingPictures(Session& session, const FileOpener& opener, const Pictures& pictures)
        : session_(session), opener_(opener), pictures_(pictures) {}

    /// Must be called once per frame.
    void update() override;
    /// Frees the GPU memory of the preview until the next update().
    void park() override;
    void connect(Switchboard& board) override;

private:
    void draw_progress(const Area& work, Requests& requests);
    /// The canvas that draws the preview, or null while there is none.
    render::TimelineCanvas* canvas() const;
    bool is_time_to_look() const;
    void take();
    void send();
    void forget();

    Session& session_;
    const FileOpener& opener_;
    const Pictures& pictures_;
    std::shared_ptr<ReadingObserver> observer_;  ///< observer of the file that is being read
    bool has_told_ = false;                      ///< true once a frame has shown that the file is being read
    bool was_shown_ = false;                     ///< true once a frame has shown the window without a file
    bool has_asked_ = false;                     ///< true while a requested preview is not ready
    std::uint64_t asked_at_ = 0;                 ///< bytes read when the last preview was requested
    /// Fraction of the file read when the last preview was requested; 0 if the length is unknown.
    float asked_at_fraction_ = 0;
    double making_took_ms_ = 0;
    Job<GrowingPictureOutcome> making_;
    std::unique_ptr<render::TimelineCanvas> canvas_;
    const GrowingPicture* sent_ = nullptr;
};

}  // namespace snapviewer
