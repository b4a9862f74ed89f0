#pragma once

#include <string>

#include "app/state/app_state.h"
#include "core/base/job.h"

namespace snapviewer {

/// Saves what is on the screen as a picture: this program is started once more, as the command line that draws the same, so
/// that the picture has any size and the window goes on meanwhile. Main thread.
class PictureSaver {
public:
    /// `state` outlives this.
    explicit PictureSaver(AppState& state) : state_(state) {}

    void save(const SavePicture& asked, Ground ground);
    /// To be called every frame.
    void update();
    bool is_busy() const { return drawing_.is_busy(); }

private:
    struct Outcome {
        std::string path;
        std::string left_out;  ///< see left_out_of_render()
        Status status;
    };

    AppState& state_;
    Job<Outcome> drawing_;
};

}  // namespace snapviewer
