#pragma once

#include <memory>
#include <optional>

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The blocks that keep reserved memory from the driver, at the moment whose live allocations are listed. Main thread.
class PinsPage : public Feature {
public:
    /// `state` outlives this.
    explicit PinsPage(AppState& state) : state_(state) {}

    /// Every frame. Another moment takes some milliseconds, while the page is in front.
    void update() override;
    void leave() override;
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void take_answers();
    void show_pins(const Timeline& timeline, std::uint32_t moment);

    AppState& state_;
    std::shared_ptr<const DeviceAnswers> answers_;  ///< whose pins are shown
    std::shared_ptr<const AddressSpace> space_;     ///< null where nothing is known of addresses
    std::uint32_t worst_moment_ = 0;                ///< when most is pinned
    std::optional<std::uint32_t> moment_;           ///< whose pins are shown
};

}  // namespace snapviewer
