#pragma once

#include <memory>
#include <vector>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Fills the command palette: with what can be done now, and with the names of the stacks of the picture on the screen,
/// which are made on a thread of their own.
class PaletteFiller : public Feature {
public:
    /// Both outlive this.
    PaletteFiller(AppState& state, const Commands& commands) : state_(state), commands_(commands) {}

    void open();
    /// Every frame: takes the names that were made.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    using Entries = std::vector<PaletteEntry>;

    AppState& state_;
    const Commands& commands_;
    Job<std::shared_ptr<const Entries>> job_;
    std::shared_ptr<const Timeline> named_;  ///< whose stacks are named, or about to be
};

}  // namespace snapviewer
