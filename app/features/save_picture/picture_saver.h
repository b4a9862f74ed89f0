#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Saves what is on the screen as a picture: this program is started once more, as the command line that draws the same, so
/// that the picture has any size and the window goes on meanwhile. Main thread.
class PictureSaver : public Feature {
public:
    /// `state` outlives this.
    explicit PictureSaver(AppState& state) : state_(state) {}

    void save(const SavePicture& asked);
    /// Every frame.
    void update() override;
    bool is_busy() const override { return drawing_.is_busy(); }
    void connect(Switchboard& board) override;
    bool has_window() const override;
    void draw(Requests& requests) override;

private:
    void copy_command(Requests& requests) const;

    struct Outcome {
        std::string path;
        std::string left_out;  ///< see left_out_of_render()
        Status status;
    };

    AppState& state_;
    Job<Outcome> drawing_;
};

}  // namespace snapviewer
