#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/features/details/stacks.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer::moments {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_moments_page = "moments";

/// How an allocation changed between the two ends of the ruler's range.
enum class ChangeKind : std::uint8_t {
    came,    ///< alive only at the end of the range
    went,    ///< alive only at the beginning of the range
    stayed,  ///< alive at both ends of the range
};

/// Words for the user, indexed by ChangeKind.
inline constexpr std::array k_change_words = {"came", "went", "stayed"};

/// Changes between the two ends of the ruler. Recomputed only when one of the ends moves.
struct MomentsState {
    const Timeline* timeline = nullptr;  ///< the measured timeline, null without a ruler; only compared, never dereferenced
    TickRange range;
    std::array<details::StackList, 3> lists;  ///< allocations by stack, indexed by ChangeKind
    ChangeKind shown = ChangeKind::came;
    std::optional<StackId> chosen;  ///< highlighted stack of the kind in `shown`
    bool is_measuring = false;      ///< the user is still dragging the ruler
    std::string_view page_before;   ///< page that was shown before the ruler appeared

    const details::StackList& list(ChangeKind kind) const { return lists[static_cast<std::size_t>(kind)]; }
};

/// The side page with what changed between the ends of the ruler. Main thread.
class MomentMarks : public Feature {
public:
    /// Keeps references; both must outlive this object.
    MomentMarks(Session& session, selection::Selection& selection) : session_(session), selection_(selection) {}

    /// Called every frame.
    void update() override;
    /// Highlights the allocations of one kind of change in the picture, optionally only those of one stack.
    void highlight(ChangeKind change, std::optional<StackId> stack);
    void connect(Switchboard& board) override;
    void leave() override { state_ = {}; }

    const MomentsState& state() const { return state_; }

private:
    void draw(Requests& requests);
    void ask_to_highlight(ChangeKind change, std::optional<StackId> stack, Requests& requests);

    Session& session_;
    selection::Selection& selection_;
    MomentsState state_;
};

// Lists of allocations by stack, for this page and the page of growth.

/// Highlights those of `allocations` that `stack` made, or all of them if it is nullopt. `name` is their name in the search
/// bar. Ends the highlight if there are none.
void highlight_by_stack(selection::Selection& selection, const Timeline& timeline, std::span<const AllocationId> allocations,
                        std::string name, std::optional<StackId> stack);

}  // namespace snapviewer::moments
