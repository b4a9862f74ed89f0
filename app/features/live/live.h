#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer::live {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_live_page = "live";
/// Id of the page of pins, which shows the moment of the live page too.
inline constexpr std::string_view k_pins_page = "pins";

enum class LiveColumn : std::uint8_t { bytes, share, count, stack };

/// The list of live allocations at one moment, grouped by stack. Recomputed only when the moment changes.
struct LiveListState {
    const Timeline* timeline = nullptr;  ///< the timeline that was listed; only compared, never dereferenced
    std::uint32_t tick = 0;
    std::vector<StackTotal> totals;
    std::vector<std::string> names;  ///< names of the stacks, parallel to `totals`
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;

    LiveColumn sorted_by = LiveColumn::bytes;
    bool is_descending = true;
    std::string filter;                ///< substring that a listed name must contain
    std::vector<std::uint32_t> order;  ///< indices into `totals`, in display order
    /// narrow layout: the share is a bar behind the bytes, and only the tooltip shows the count
    bool is_narrow = false;
};

/// The side page that lists the allocations that are live at a moment. Main thread.
class LivePage : public Feature {
public:
    /// Keeps a reference; `session` must outlive this object.
    explicit LivePage(Session& session) : session_(session) {}

    /// The listed moment as a tick of the timeline on the screen, or nullopt if none of its moments was listed yet.
    std::optional<std::uint32_t> tick() const;
    const LiveListState& state() const { return state_; }
    /// Lists another moment of the timeline on the screen. If the file or device has changed and `tick` is not set, that is
    /// the peak. Precondition: a timeline is on the screen.
    void list(std::optional<std::uint32_t> tick);
    /// Shows the page, or keeps the page of pins, which depends on the moment too.
    void show_page();

    void connect(Switchboard& board) override;
    void leave() override { state_ = {}; }

private:
    void draw(Requests& requests);
    void draw_line(Requests& requests);

    Session& session_;
    LiveListState state_;
};

/// Filters and sorts the rows again. Call it after sorted_by, is_descending or filter has changed.
void arrange_live_rows(LiveListState& state);
/// Returns the rows in their order on the screen as tab-separated values with a header; bytes are plain numbers.
std::string live_rows_as_tsv(const LiveListState& state);

}  // namespace snapviewer::live
