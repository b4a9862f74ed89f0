#pragma once

#include <string>
#include <vector>

#include "app/features/details/stack_view.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/trace/detail_source.h"

namespace snapviewer {

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

/// Makes the texts of an allocation unless they are there already; true if it did. Its sections are then still to be asked
/// for.
bool keep_details(DetailsState& state, const Timeline& timeline, const Overlays& overlays, AllocationId id);

/// Fills the rest of the current window with everything known of an allocation, or with a hint when none is selected.
void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests);

/// What Ctrl+C copies: the marked line, otherwise everything.
std::string details_clipboard(const DetailsState& state);

}  // namespace snapviewer
