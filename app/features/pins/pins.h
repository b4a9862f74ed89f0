#pragma once

#include <memory>
#include <optional>

#include "app/features/pins/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// The side page that lists the blocks that prevent the return of reserved memory to the driver, at the moment of the list
/// of live allocations. Main thread.
class PinsPage : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit PinsPage(Session& session) : session_(session) {}

    /// Called every frame. Takes some milliseconds after the moment has changed, and only while the page is visible.
    void update() override;
    void leave() override;
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void take_answers();
    void show_pins(const Timeline& timeline, std::uint32_t moment);

    Session& session_;
    std::shared_ptr<const DeviceAnswers> answers_;      ///< analysis results that the rows were made from
    std::shared_ptr<const space::AddressSpace> space_;  ///< address space of the device; null if the file has no addresses
    std::uint32_t worst_moment_ = 0;                    ///< the moment with the most pinned memory
    std::optional<std::uint32_t> moment_;               ///< the moment that the rows describe
};

struct FindingsState;

/// Fills the rest of the current window. A click on a row selects its allocation; a button goes to the moment with the most
/// pinned memory. `selected` is outlined in the list.
void draw_pins_view(PinsState& state, const FindingsState& findings, AllocationId selected, Requests& requests);

}  // namespace snapviewer
