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

/// The stack of what is selected as the user's rules want it, with the sources that lie on this machine, and the way into
/// the editor. Main thread.
class SourceCode : public Feature {
public:
    /// `state` outlives this. Preferences that cannot be read are left out, and a notice says so.
    explicit SourceCode(AppState& state);

    /// Every frame, after the details were made. O(frames) where they are new.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }

    /// Remembers other rules, command and folders, and closes their window. False where something is wrong with them: the
    /// window says what, and nothing else changes.
    bool use(const StackSettings& settings);
    /// After other settings came into the state.
    void read_settings();
    /// Starts the editor with a line. Where no command is set, or it cannot be started, the window for that opens.
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
