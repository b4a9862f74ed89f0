#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/findings/findings.h"
#include "app/features/live/live.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/trace/stack_table.h"

namespace snapviewer::pins {

/// A block that prevents the return of reserved memory to the driver.
struct PinRow {
    AllocationId allocation;  ///< the allocation in the block; none() if the file does not record it
    std::string name;         ///< source line that allocated the block
    std::uint64_t size_bytes = 0;
    std::uint64_t released_bytes = 0;   ///< bytes that would return to the driver without this block
    std::uint64_t hole_without_it = 0;  ///< size in bytes of the free range that would exist without this block
};

/// Rows of the page of pins at the current moment.
struct PinsState {
    std::string why_empty;   ///< why the page has no rows, as a sentence; empty if it has rows or if nothing is pinned
    std::uint32_t tick = 0;  ///< the moment, as a tick of the timeline
    std::uint32_t worst_tick = 0;
    std::string title;     ///< heading that names the moment
    std::string sentence;  ///< sentence with the pinned amount
    std::vector<PinRow> rows;
    bool has_new_rows = false;  ///< `rows` are new and not sorted by the table's column yet
};

/// The side page that lists the blocks that prevent the return of reserved memory to the driver, at the moment of the list
/// of live allocations. Main thread.
class PinsPage : public Feature {
public:
    /// Keeps references; all must outlive this object.
    PinsPage(Session& session, const live::LivePage& live, const findings::Answers& found)
        : session_(session), live_(live), found_(found) {}

    /// Called every frame. Takes some milliseconds after the moment has changed, and only while the page is visible.
    void update() override;
    void leave() override;
    void connect(Switchboard& board) override;

    const PinsState& state() const { return state_; }

private:
    void take_answers();
    void show_pins(const Timeline& timeline, std::uint32_t moment);
    void keep_page();
    void draw(Requests& requests);

    Session& session_;
    const live::LivePage& live_;
    const findings::Answers& found_;
    PinsState state_;
    std::shared_ptr<const answers::DeviceAnswers> answers_;  ///< analysis results that the rows were made from
    std::shared_ptr<const space::AddressSpace> space_;  ///< address space of the device; null if the file has no addresses
    std::uint32_t worst_moment_ = 0;                    ///< the moment with the most pinned memory
    std::optional<std::uint32_t> moment_;               ///< the moment that the rows describe
};

}  // namespace snapviewer::pins
