#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/live/live.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "core/analysis/oom/card_use.h"
#include "core/analysis/oom/oom.h"
#include "core/analysis/space/holes.h"

namespace snapviewer::findings {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_findings_page = "findings";

/// The analyses of the device on the screen.
struct FindingsState {
    LongWork work = {};  ///< progress of the analyses, which start after the timeline is drawn
    /// A sentence about data that the file lacks, so that some findings are impossible; usually empty.
    std::string not_told = {};
    /// Results of the analyses; null until they are done, or if they failed.
    std::shared_ptr<const answers::DeviceAnswers> answers = {};
    /// Memory of the card according to an error message that the user pasted.
    std::optional<oom::CardUse> read_from_error = {};
    std::optional<std::size_t> chosen = {};  ///< the finding that is highlighted in the timeline

    bool is_ready() const { return answers != nullptr; }
};

/// Runs the analyses of the device on the screen in the background after its timeline is drawn, and navigates from a finding
/// to its place in the timeline. Main thread.
class Answers : public Feature {
public:
    /// All arguments must outlive this object.
    Answers(Session& session, Pictures& pictures, selection::Selection& selection, live::LivePage& live)
        : session_(session), pictures_(pictures), selection_(selection), live_(live) {}

    const FindingsState& state() const { return state_; }

    /// Must be called once per frame.
    void update() override;
    /// Cancels the analyses. They start again only with restart().
    void stop() { task_.stop(); }
    /// Restarts analyses that were stopped or have failed.
    void restart();
    /// Zooms to a finding of the device on the screen and highlights its allocations.
    void go_to(std::size_t finding);
    /// Shows the allocations that are live at an event of the device on the screen.
    void go_to_event(std::uint32_t event);
    /// Extracts the last out-of-memory error of PyTorch from `text` and shows how it accounts for the memory of the card.
    void read_error(const std::string& text);
    /// The moment of the finding that was gone to, if the address map explains it. Returned once.
    std::optional<std::uint32_t> take_wanted_moment() { return std::exchange(wanted_moment_, std::nullopt); }
    bool is_busy() const override { return task_.is_busy() || is_due_; }
    void connect(Switchboard& board) override;

private:
    /// The outcome of the analyses of one device.
    struct Outcome {
        std::shared_ptr<const answers::DeviceAnswers> answers;
        std::optional<Error> error;  ///< why there are no answers, if the analyses have ended without any
        bool is_due() const { return answers == nullptr && !error; }
    };

    void connect_clipboard(Switchboard& board);
    void forget();
    void take();
    std::optional<std::size_t> next_device() const;
    void begin_if_due();
    void show_state();
    void highlight(const DeviceFinding& finding);
    std::uint32_t mark_moment(std::uint32_t moment);
    View view_around(std::uint32_t tick) const;
    void bring_into_view(const DeviceFinding& finding);
    void draw(Requests& requests);
    void draw_finding(std::size_t index, Requests& requests);

    Session& session_;
    Pictures& pictures_;
    selection::Selection& selection_;
    live::LivePage& live_;
    FindingsState state_;
    std::shared_ptr<const Document> document_;  ///< document that was analysed
    std::vector<Outcome> of_devices_;
    std::size_t working_on_ = 0;                  ///< index of the device that task_ analyses
    int frames_drawn_ = 0;                        ///< frames drawn since the timeline was uploaded to the GPU
    bool is_due_ = false;                         ///< true while the analyses wait for the timeline to be drawn
    std::optional<std::uint32_t> wanted_moment_;  ///< moment for the address map to show
    BackgroundTask<answers::DeviceAnswers> task_;
};

/// Fills the rest of the current window with the progress or the error of the analyses while they are not ready. Returns
/// whether they are ready.
bool draw_until_ready(const FindingsState& state, Requests& requests);

/// A part of the memory of a device, drawn as a segment of a bar.
struct CapacityPart {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t colour = 0;  ///< colour as an ImU32 of ImGui
    bool is_striped = false;
};

/// The uses of a device's memory when it ran out of memory; together they fill its capacity. Empty parts are omitted. If the
/// use of the whole card is known, returns the rows of CardUse.
std::vector<CapacityPart> capacity_parts(const oom::OomVerdict& verdict);

/// The uses of the memory of a whole card at another moment than an out-of-memory error.
std::vector<CapacityPart> capacity_parts(const oom::CardUse& use);

/// The private pools with the most reserved memory at the end of the recording, largest first; at most 12.
std::vector<const space::PoolUse*> pools_to_show(const std::vector<space::PoolUse>& uses);

/// The used and the idle bytes of `use` at the end of the recording. Parts of 0 bytes are omitted.
std::vector<CapacityPart> pool_parts(const space::PoolUse& use);

}  // namespace snapviewer::findings
