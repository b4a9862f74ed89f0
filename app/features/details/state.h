#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/features/details/folded_stack.h"
#include "app/features/details/source_task.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "core/timeline/timeline.h"
#include "core/trace/detail_source.h"

namespace snapviewer {

/// A stack between two frames.
struct StackViewState {
    std::vector<StackLine> lines;  ///< innermost call first
    StackRole role;
    bool is_arranged = false;  ///< whether all below is of `lines` and of the rules in use
    FoldedStack folded;
    std::vector<SourcePlace> places;       ///< by line, where it is on this machine
    std::vector<std::string> sources;      ///< by line; empty where there is none to be shown
    std::set<std::size_t> opened_runs;     ///< by their first frame
    std::set<std::size_t> opened_repeats;  ///< by their first item
};

/// The details panel between two frames: the texts of the selection, made once.
struct DetailsState {
    const Timeline* timeline = nullptr;  ///< only compared, never read
    AllocationId id;
    std::vector<Fact> facts;
    StackViewState stack;
    std::string size;  ///< as it stands above them
    StackId stack_id;
    std::size_t frame_count = 0;          ///< of its stack, also of those beyond what is shown
    std::size_t of_stack = 0;             ///< how many of the picture have that stack
    std::vector<std::string> forward;     ///< lines of the forward stack, where the file keeps one
    std::vector<DetailSection> sections;  ///< what the file knows beyond the trace
    bool is_looking_up = false;           ///< sections are on their way
    std::string lookup_error;
    bool shows_all_facts = false;  ///< also those that leave no room for the stack; stays so for what is selected next
    std::string marked;            ///< the line clicked last; what Ctrl+C copies if there is one
};

/// What is being edited of how stacks are shown.
struct StackRulesState {
    bool is_open = false;
    UseStackRules edited;
    std::string error;  ///< what is wrong with what was to be used last
    bool was_open = false;
};

}  // namespace snapviewer
