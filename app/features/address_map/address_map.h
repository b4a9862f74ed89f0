#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/address_map/state.h"
#include "app/features/findings/findings.h"
#include "app/features/live/live.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/analysis/space/address_space.h"
#include "core/mesh/colours.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The colours of `at.blocks` as 0xAABBGGRR; 0 for a block whose allocation is unknown. O(blocks).
std::vector<std::uint32_t> block_colours(const space::AddressMoment& at, const mesh::AllocationColours& colours);

/// Updates the address map to the moment under the mouse, while the map is shown and the analyses of its device are done.
/// Main thread. Changing the moment takes less than a millisecond.
class AddressMaps : public Feature {
public:
    /// All arguments must outlive this object.
    AddressMaps(Session& session, Pictures& pictures, const LivePage& live, const Answers& found)
        : session_(session), pictures_(pictures), live_(live), found_(found) {}

    void adopt() override;
    /// Must be called once per frame.
    void update() override;
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void draw_panel(const Area& area, Requests& requests);
    void show(bool is_shown);
    void forget_map();
    void take_answers();
    std::uint32_t wanted_moment();
    void show_moment(std::uint32_t moment);
    void take_colours();
    void choose_hole(std::uint64_t address);

    Session& session_;
    Pictures& pictures_;
    const LivePage& live_;
    const Answers& found_;
    std::shared_ptr<const DeviceAnswers> answers_;    ///< analyses of the device whose address space is shown
    std::optional<std::uint32_t> chosen_tick_;        ///< the moment of the window when it was last checked
    std::optional<mesh::AllocationColours> colours_;  ///< colours of the allocations in the timeline
    std::uint64_t colours_version_ = 0;
    std::uint32_t coloured_version_ = 0;  ///< version of the map for which the block colours were computed
};

struct AddressMapScene {
    const Timeline& timeline;  ///< the timeline on the screen
    AllocationId selected;     ///< the selected allocation; none() if the timeline shows something other than allocations
    bool shows_allocations = false;
    bool is_still = false;                     ///< true if clicks on the map have no effect
    std::optional<std::uint64_t> marked = {};  ///< address of the block to outline
    const char* name = "map";                  ///< name of the address map in tests
};

/// Fills the rest of the current window with the reserved memory at the state's moment: the segments of each pool and
/// stream, and the blocks in them. Free ranges are hatched; blocks that wait for another stream are striped. A click on a
/// block selects its allocation, a click on a hole shows the blocks that pin it. Ctrl and the mouse wheel zoom. O(blocks on
/// the screen) per frame.
void draw_address_map_view(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

/// Draws the lines of the address map without the summary line above them.
void draw_address_lines(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

}  // namespace snapviewer
