#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Keeps the address map at the moment under the mouse, while it is shown and the analyses of its device are done. Main
/// thread; another moment takes less than a millisecond.
class AddressMaps : public Feature {
public:
    /// Both outlive this.
    AddressMaps(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    void adopt() override;
    /// Every frame.
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
    std::shared_ptr<const DeviceAnswers> answers_;  ///< whose address space is shown
    std::optional<std::uint32_t> chosen_tick_;      ///< of the window's moment, as it was seen last
    std::optional<AllocationColours> colours_;      ///< as the picture has them
    std::uint64_t colours_version_ = 0;
    std::uint32_t coloured_version_ = 0;  ///< of the map
};

}  // namespace snapviewer
