#pragma once

#include <memory>
#include <vector>

#include "app/state/app_state.h"
#include "core/base/job.h"

namespace snapviewer {

/// Fills the command palette: with what can be done now, and with the names of the stacks of the picture on the screen,
/// which are made on a thread of their own.
class PaletteFiller {
public:
    /// `state` outlives this.
    explicit PaletteFiller(AppState& state) : state_(state) {}

    void open();
    /// Every frame: takes the names that were made.
    void update();
    bool is_busy() const { return job_.is_busy(); }

private:
    using Entries = std::vector<PaletteEntry>;

    AppState& state_;
    Job<std::shared_ptr<const Entries>> job_;
    std::shared_ptr<const Timeline> named_;  ///< whose stacks are named, or about to be
};

}  // namespace snapviewer
