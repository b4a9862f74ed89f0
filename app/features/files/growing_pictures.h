#pragma once

#include <memory>

#include "app/features/app_state.h"
#include "app/features/files/file_opener.h"
#include "app/features/files/growing_picture.h"
#include "app/features/files/growing_picture_view.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The pictures of what was read so far of a file that takes long: the first soon after loading has begun, another whenever
/// there is twice as much. They are made beside the reading, and never when they would be there no sooner than the whole.
/// Main thread, with the OpenGL context current.
class GrowingPictures : public Feature {
public:
    /// All outlive this.
    GrowingPictures(AppState& state, const FileOpener& opener, const Pictures& pictures)
        : state_(state), opener_(opener), pictures_(pictures) {}

    /// Every frame.
    void update() override;
    /// Takes the picture off the graphics card until the next update().
    void park() override;
    /// Null while there is nothing to draw.
    TimelineCanvas* canvas() const;

private:
    bool is_time_to_look() const;
    void take();
    void send();
    void forget();

    AppState& state_;
    const FileOpener& opener_;
    const Pictures& pictures_;
    std::shared_ptr<ReadingObserver> observer_;  ///< of the file on its way
    bool has_told_ = false;                      ///< that it is on its way, in a frame
    bool was_shown_ = false;                     ///< the window, without a file
    bool has_asked_ = false;                     ///< and nothing came of that yet
    std::uint64_t asked_at_ = 0;                 ///< how much of the file was read
    float asked_at_fraction_ = 0;                ///< the same as a part of it; 0 where nobody knows how long it is
    double making_took_ms_ = 0;
    Job<GrowingPictureOutcome> making_;
    std::unique_ptr<TimelineCanvas> canvas_;
    const GrowingPicture* sent_ = nullptr;
};

}  // namespace snapviewer
