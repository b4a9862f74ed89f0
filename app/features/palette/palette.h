#pragma once

#include <memory>
#include <vector>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Fills the command palette with the commands that can run now, and with the names of the stacks of the current picture. A
/// worker thread makes the names.
class PaletteFiller : public Feature {
public:
    /// Keeps references; both must outlive this object.
    PaletteFiller(AppState& state, const Commands& commands) : state_(state), commands_(commands) {}

    void open();
    /// Called every frame; takes the names when they are ready.
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
    std::shared_ptr<const Timeline> named_;  ///< the timeline whose stacks are named or being named
};

}  // namespace snapviewer
