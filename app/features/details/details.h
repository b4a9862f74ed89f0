#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/details/source.h"
#include "app/features/details/stacks.h"
#include "app/features/preferences.h"
#include "app/features/session.h"
#include "app/features/timeline/allocation_text.h"
#include "app/system/programs.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"
#include "core/trace/stack_table.h"

namespace snapviewer::details {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_allocation_page = "allocation";

/// State of the stack view that persists between frames.
struct StackViewState {
    std::vector<StackLine> lines;  ///< frames of the stack, innermost call first
    StackRole role;
    bool is_arranged = false;  ///< true if the fields below were computed for `lines` and the current rules
    FoldedStack folded;
    std::vector<SourcePlace> places;       ///< source line on this machine, for each of `lines`
    std::vector<std::string> sources;      ///< source text for each of `lines`; empty if it is not available
    std::set<std::size_t> opened_runs;     ///< opened folded runs, by their first frame
    std::set<std::size_t> opened_repeats;  ///< opened repeats, by their first item
};

/// State of the details panel that persists between frames. The texts are computed once per selection.
struct DetailsState {
    const Timeline* timeline = nullptr;  ///< the timeline of the allocation; compared, but never dereferenced
    AllocationId id;
    std::vector<Fact> facts;
    StackViewState stack;
    std::string size;  ///< size of the allocation, for the headline
    StackId stack_id;
    std::size_t frame_count = 0;          ///< number of frames in the stack, including frames that are not shown
    std::size_t of_stack = 0;             ///< number of allocations in the timeline that have this stack
    std::vector<std::string> forward;     ///< lines of the forward stack; empty if the file has none
    std::vector<DetailSection> sections;  ///< additional details that were read from the file
    bool is_looking_up = false;           ///< true while a worker reads the sections
    std::string lookup_error;
    /// True to show all facts even if the stack is pushed out of view; kept for the next selection.
    bool shows_all_facts = false;
    std::string marked;  ///< the line that was last clicked; Ctrl+C copies it, or all details if it is empty
};

/// All details as text.
std::string details_text(const DetailsState& state);

/// The details of the selected allocation: its facts, and its stack as the user's rules fold it, with source lines of this
/// machine, which open in the user's editor. Worker threads read the source lines and the details that only the file
/// contains. Main thread.
class SelectedDetails : public Feature {
public:
    /// Keeps a reference, which must outlive this object. Invalid stack preferences are ignored, with a notice.
    explicit SelectedDetails(Session& session) : session_(session) { read_settings(); }

    /// Called every frame. O(allocations) for a new selection.
    void update() override;
    bool is_busy() const override { return looking_up_.is_busy() || reading_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override;
    /// Applies the stack preferences again if they were changed in another tab.
    void take_place_of(Feature& other) override;

    const DetailsState& state() const { return state_; }
    const bool& is_rules_window_open() const { return is_open_; }
    /// The preferences in the window that edits them.
    const StackSettings& edited() const { return edited_; }
    /// The reason why the edited preferences were rejected; empty if they were not.
    const std::string& rules_error() const { return error_; }

private:
    void show(const Timeline& timeline, AllocationId id);
    void arrange_stack();
    void follow_selection();
    void copy(Requests& requests) const;
    void draw(Requests& requests);

    void read_settings();
    std::vector<std::string> roots() const;
    /// Saves the edited rules, editor command and source folders, and closes their window. If one of them is invalid, the
    /// window shows the error, and nothing else changes.
    void apply_edited();
    /// Opens a source line in the editor. Opens the window of the preferences instead if no editor command is set or the
    /// editor cannot be started.
    void open(const SourcePlace& place);
    void draw_rules_window(Requests& requests);

    Session& session_;
    DetailsState state_;
    BackgroundTask<std::vector<DetailSection>> looking_up_;

    StackSettings in_use_;
    FrameRules rules_;
    PathMap folders_;
    BackgroundTask<std::vector<std::string>> reading_;
    StartedPrograms programs_;
    // The window that edits the stack preferences.
    bool is_open_ = false, was_open_ = false;
    StackSettings edited_;
    std::string error_;  ///< see rules_error()
};

}  // namespace snapviewer::details
