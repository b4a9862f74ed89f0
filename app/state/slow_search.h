#pragma once

#include <memory>
#include <string>

#include "app/state/app_state.h"
#include "app/state/pictures.h"
#include "core/base/job.h"

namespace snapviewer {

/// Finds what takes long to find on a thread of its own, while the window goes on showing what it shows.
class SlowSearch {
public:
    /// Both outlive this.
    SlowSearch(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// To be called every frame: follows what is looked for, and takes what was found.
    void update();
    bool is_busy() const { return state_.search.is_waiting || finding_.is_busy(); }

private:
    bool is_asked(const Timeline* timeline) const;

    AppState& state_;
    Pictures& pictures_;
    Job<Emphasis> finding_;
    std::shared_ptr<const Timeline> timeline_;  ///< in which it looks; null while it does not
    std::string text_;
};

}  // namespace snapviewer
