#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "app/features/live/live.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "app/ui/result_grid.h"

namespace snapviewer::selection {

/// The selection and the highlight, which the timeline and the icicles share.
class Selection : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Selection(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Selects an allocation of the current device; none() clears the selection. Also selects its leaf in the icicles that
    /// are made of allocations.
    void select(AllocationId id);
    /// Selects a node of the current icicle; IcicleNode::k_none clears the selection. The timeline highlights the
    /// allocations below the node. If the node is a leaf, its first allocation is selected there.
    void select_node(std::uint32_t node);
    void clear();
    /// Selects an allocation of the current picture and brings it into view.
    void reveal(AllocationId id);
    /// Selects the allocation that a row of a query result refers to, and brings it into view.
    void follow(const RowTarget& target);

    /// Starts a search for `text`, replacing the current one.
    void find(const std::string& text);
    void highlight(StackId stack);
    void highlight(AllocationsSought allocations) { search(std::move(allocations)); }
    void highlight_group(std::size_t group);
    /// Ends the search and the highlight.
    void close_search();
    void go_to_hit(bool forward);
    void connect(Switchboard& board) override;
    void leave() override;
    void adopt() override;
    /// Clears the selection in the timeline.
    bool dismiss(Requests& requests) override;

private:
    void search(Sought sought);
    bool follow_index(std::size_t device_index, std::int64_t index);

    Session& session_;
    Pictures& pictures_;
};

/// Moves from marker to marker. Each step brings the marker into view, lists the allocations that are live there, and names
/// it.
class MarkerWalk : public Feature {
public:
    /// Keeps references; all must outlive this object.
    MarkerWalk(Session& session, Pictures& pictures, Selection& selection, live::LivePage& live)
        : session_(session), pictures_(pictures), selection_(selection), live_(live) {}

    /// Selects a marker of the current picture; selecting the current marker again deselects it.
    void select(std::size_t index);
    /// Brings a marker into view.
    void go_to(std::size_t index);
    void go_to_peak();
    /// Goes to the next or previous marker. After the last marker of a device, continues with the next device that has
    /// markers, and wraps around after the last device.
    void go_to_next(bool forward);
    void connect(Switchboard& board) override;

private:
    void mark(std::size_t marker);
    std::optional<std::size_t> next_device_with_markers(bool forward) const;

    Session& session_;
    Pictures& pictures_;
    Selection& selection_;
    live::LivePage& live_;
};

}  // namespace snapviewer::selection
