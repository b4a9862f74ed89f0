#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Updates the address map to the moment under the mouse, while the map is shown and the analyses of its device are done.
/// Main thread. Changing the moment takes less than a millisecond.
class AddressMaps : public Feature {
public:
    /// Both arguments must outlive this object.
    AddressMaps(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    void adopt() override;
    /// Must be called once per frame.
    void update() override;
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void show(bool is_shown);
    void forget_map();
    void take_answers();
    std::uint32_t wanted_moment();
    void show_moment(std::uint32_t moment);
    void take_colours();
    void choose_hole(std::uint64_t address);

    AppState& state_;
    Pictures& pictures_;
    std::shared_ptr<const DeviceAnswers> answers_;  ///< analyses of the device whose address space is shown
    std::optional<std::uint32_t> chosen_tick_;      ///< the moment of the window when it was last checked
    std::optional<AllocationColours> colours_;      ///< colours of the allocations in the timeline
    std::uint64_t colours_version_ = 0;
    std::uint32_t coloured_version_ = 0;  ///< version of the map for which the block colours were computed
};

}  // namespace snapviewer
