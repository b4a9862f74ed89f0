#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/features/details/source.h"
#include "app/features/details/stacks.h"
#include "app/features/details/state.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/system/programs.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

struct LookedUpDetails {
    std::shared_ptr<DetailSource> source;
    AllocationId id;
    Result<std::vector<DetailSection>> sections;
};

/// Keeps the details of the selected allocation up to date. A worker thread reads the details that only the file contains.
class SelectedDetails : public Feature {
public:
    /// `state` must outlive this object.
    explicit SelectedDetails(Session& session) : session_(session) {}

    /// Must be called once per frame.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { session_.details = DetailsState{}; }
    void describe(nlohmann::json& report) const override;

private:
    void follow_selection();

    Session& session_;
    Job<LookedUpDetails> job_;
};

/// Computes the texts of an allocation, unless `state` has them already. Returns true if it did; the caller must then
/// request the sections that are read from the file.
bool keep_details(DetailsState& state, const Timeline& timeline, const Overlays& overlays, AllocationId id);

/// Fills the rest of the current window with the details of the selected allocation, or with a hint if nothing is selected.
void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests);

/// The text that Ctrl+C copies: the marked line if there is one, else all details.
std::string details_clipboard(const DetailsState& state);

/// Applies the user's rules to the stack of the selection, reads its source lines from files on this machine, and opens them
/// in the editor. Main thread.
class SourceCode : public Feature {
public:
    /// `state` must outlive this object. Invalid preferences are ignored, with a notice for the user.
    explicit SourceCode(Session& session);

    /// Must be called once per frame, after the details are up to date. O(frames) for a new stack.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }

    /// Saves new rules, editor command and source folders, and closes their window. Returns false if one of them is invalid:
    /// the window then shows the error, and nothing else changes.
    bool use(const StackSettings& settings);
    /// Applies the stack preferences again if they were changed in another tab.
    void take_place_of(Feature& other) override;
    /// Opens a source line in the editor. Opens the preferences window instead if no editor command is set or the editor
    /// cannot be started.
    void open(const SourcePlace& place);
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void read_settings();
    std::vector<std::string> roots() const;

    Session& session_;
    StackSettings in_use_;
    FrameRules rules_;
    PathMap folders_;
    Job<SourceLines> job_;
    StartedPrograms programs_;
};

/// Draws the window that edits the folding rules, the editor command and the source folders. `in_use` are the initial
/// values.
void draw_stack_rules_window(StackRulesState& state, const StackSettings& in_use, Requests& requests);

}  // namespace snapviewer
