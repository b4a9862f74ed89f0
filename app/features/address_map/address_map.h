#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/findings/findings.h"
#include "app/features/live/live.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/analysis/space/address_space.h"
#include "core/mesh/colours.h"
#include "core/timeline/timeline.h"

namespace snapviewer::address_map {

/// The free range that the user clicked, and the blocks that prevent its return to the driver.
struct ChosenHole {
    space::Hole hole;
    std::vector<std::uint64_t> pins;  ///< addresses of the blocks next to the hole, which pin it
    /// Sentences about the memory that the driver would get back without each of the pins.
    std::vector<std::string> sentences;
};

/// State of an address map that persists between frames.
struct AddressMapState {
    std::string why_empty;                             ///< the reason why there is no map; empty if there is one
    std::shared_ptr<const space::AddressSpace> space;  ///< address space of the device; null if it is unknown
    std::shared_ptr<const space::AddressMoment>
        fullest;               ///< the moment with most reserved memory, which determines the scale
    std::uint32_t moment = 0;  ///< event whose memory layout is on the screen
    bool is_held = false;      ///< true if the moment does not follow the mouse
    std::string title;         ///< summary of the moment, shown above the map
    space::AddressMoment at;
    std::uint32_t version = 0;           ///< version number of `at`; changes whenever `at` changes
    std::vector<std::uint32_t> colours;  ///< colours of at.blocks as 0xAABBGGRR, 0 for unknown; empty if all are unknown
    /// The highlighted allocations; all others are grey; null for no highlight.
    std::shared_ptr<const Emphasis> highlight;
    std::optional<std::uint64_t> hole_asked_for;  ///< an address inside a hole whose pins were requested by a click
    std::optional<ChosenHole> hole;
    bool is_hole_low = false;  ///< true if the hole was clicked in the lower half of the map

    // The fields below are the layout of the map and the values it was made for.
    space::AddressMap map;
    std::vector<std::string> group_names;  ///< names of map.groups
    double zoom = 1;                       ///< length of all lines together, in panel heights
    std::uint32_t drawn_version = 0;
    double drawn_zoom = 0;
    float drawn_width_px = 0;
    std::size_t drawn_lines = 0;  ///< number of the map's lines that fit into the panel
};

/// The colours of `at.blocks` as 0xAABBGGRR; 0 for a block whose allocation is unknown. O(blocks).
std::vector<std::uint32_t> block_colours(const space::AddressMoment& at, const mesh::AllocationColours& colours);

/// Updates the address map to the moment under the mouse, while the map is shown and the analyses of its device are done.
/// Main thread. Changing the moment takes less than a millisecond.
class AddressMaps : public Feature {
public:
    /// All arguments must outlive this object.
    AddressMaps(Session& session, const Pictures& pictures, const live::LivePage& live, findings::Answers& found)
        : session_(session), pictures_(pictures), live_(live), found_(found) {}

    void adopt() override;
    /// Must be called once per frame.
    void update() override;
    void connect(Switchboard& board) override;
    bool is_shown() const { return session_.preferences.show_address_map || is_first_picture_; }
    const AddressMapState& state() const { return state_; }

private:
    void draw(Requests& requests);
    void draw_panel(const Area& area, Requests& requests);
    void show(bool is_wanted);
    void clear_map();
    void take_answers();
    std::uint32_t wanted_moment();
    void show_moment(std::uint32_t moment);
    void take_colours();
    void choose_hole(std::uint64_t address);

    Session& session_;
    const Pictures& pictures_;
    const live::LivePage& live_;
    findings::Answers& found_;
    AddressMapState state_;
    bool is_first_picture_ = false;  ///< the map is shown instead of the timeline because the file has no history
    std::shared_ptr<const answers::DeviceAnswers> answers_;  ///< analyses of the device whose address space is shown
    std::optional<std::uint32_t> chosen_tick_;               ///< the moment of the window when it was last checked
    std::optional<mesh::AllocationColours> colours_;         ///< colours of the allocations in the timeline
    std::uint64_t colours_version_ = 0;
    std::uint32_t coloured_version_ = 0;  ///< version of the map for which the block colours were computed
};

struct AddressMapScene {
    const Timeline& timeline;  ///< the timeline on the screen
    AllocationId selected;     ///< the selected allocation; none() if the timeline shows something other than allocations
    bool shows_allocations = false;
    bool is_still = false;                     ///< true if clicks on the map have no effect
    std::optional<std::uint64_t> marked = {};  ///< address of the block to outline
    const char* name = "map";                  ///< name of the address map for observe_item()
};

/// Draws the lines of an address map into the rest of the current window: the segments of each pool and stream, and the
/// blocks in them. Free ranges are hatched; blocks that wait for another stream are striped. A click on a block selects its
/// allocation, a click on a hole asks for the blocks that pin it. Ctrl and the mouse wheel zoom. O(blocks on the screen) per
/// frame.
void draw_address_lines(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

}  // namespace snapviewer::address_map
