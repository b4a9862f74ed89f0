#pragma once

#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/details/frame_rules.h"
#include "app/features/details/source_places.h"
#include "app/features/details/source_task.h"
#include "app/system/started_programs.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Applies the user's rules to the stack of the selection, reads its source lines from files on this machine, and opens them
/// in the editor. Main thread.
class SourceCode : public Feature {
public:
    /// `state` must outlive this object. Invalid preferences are ignored, with a notice for the user.
    explicit SourceCode(AppState& state);

    /// Must be called once per frame, after the details are up to date. O(frames) for a new stack.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }

    /// Saves new rules, editor command and source folders, and closes their window. Returns false if one of them is invalid:
    /// the window then shows the error, and nothing else changes.
    bool use(const StackSettings& settings);
    /// Must be called after the preferences in the state were replaced.
    void read_settings();
    /// Opens a source line in the editor. Opens the preferences window instead if no editor command is set or the editor
    /// cannot be started.
    void open(const SourcePlace& place);
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    std::vector<std::string> roots() const;

    AppState& state_;
    FrameRules rules_;
    PathMap folders_;
    Job<SourceLines> job_;
    StartedPrograms programs_;
};

}  // namespace snapviewer
