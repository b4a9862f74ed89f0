#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "app/ui/result_grid.h"

namespace snapviewer {

/// What is selected and what stands out, in the timeline and in the icicles, which show the same things.
class Selection : public Feature {
public:
    /// Both outlive this.
    Selection(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Of the device on the screen; none() clears. An allocation is also a part of the icicles made of allocations.
    void select(AllocationId id);
    /// Of the icicle on the screen, or nothing for IcicleNode::k_none. What was allocated below a bar stands out in the
    /// timeline; a leaf's first allocation is selected there.
    void select_node(std::uint32_t node);
    void clear();
    /// Selects an allocation of the picture on the screen and brings it into view.
    void reveal(AllocationId id);
    /// Selects what a row of a query stands for and brings it into view.
    void follow(const RowTarget& target);

    /// Another search, or none.
    void find(const std::string& text);
    void emphasise(StackId stack);
    void emphasise(AllocationsSought allocations) { look_for(std::move(allocations)); }
    void emphasise_group(std::size_t group);
    void open_search();
    void close_search();
    void go_to_hit(bool forward);
    void connect(Switchboard& board) override;
    void leave() override;
    void adopt() override;

private:
    void look_for(Sought sought);
    bool follow_index(std::size_t device_index, std::int64_t index);

    AppState& state_;
    Pictures& pictures_;
};

}  // namespace snapviewer
