#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/details/source.h"
#include "app/features/details/stacks.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"

namespace snapviewer {

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

/// State of the window that edits the stack preferences.
struct StackRulesState {
    bool is_open = false;
    UseStackRules edited;
    std::string error;  ///< the reason why the edited values were rejected; empty if they were not
    bool was_open = false;
};

}  // namespace snapviewer
