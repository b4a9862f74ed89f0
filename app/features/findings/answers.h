#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Runs the analyses of the device on the screen in the background after its timeline is drawn, and navigates from a finding
/// to its place in the timeline. Main thread.
class Answers : public Feature {
public:
    /// All arguments must outlive this object.
    Answers(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Must be called once per frame.
    void update() override;
    /// Cancels the analyses. They start again only with restart().
    void stop() { job_.stop(); }
    /// Restarts analyses that were stopped or have failed.
    void restart();
    /// Zooms to a finding of the device on the screen and highlights its allocations.
    void go_to(std::size_t finding);
    /// Highlights all allocations of a growing stack, see growth_row().
    void go_to_growth(std::size_t index);
    /// Shows the allocations that are live at an event of the device on the screen.
    void go_to_event(std::uint32_t event);
    /// Extracts the last out-of-memory error of PyTorch from `text` and shows how it accounts for the memory of the card.
    void read_error(const std::string& text);
    bool is_busy() const override { return job_.is_busy() || is_due_; }
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void forget();
    void take();
    std::optional<std::size_t> next_device() const;
    void begin_if_due();
    void show_state();
    void emphasise(const DeviceFinding& finding);
    std::uint32_t mark_moment(std::uint32_t moment);
    View view_around(std::uint32_t tick) const;
    void bring_into_view(const DeviceFinding& finding);

    AppState& state_;
    Pictures& pictures_;
    Selection& selection_;
    std::shared_ptr<const Document> document_;  ///< document that was analysed
    std::vector<std::shared_ptr<const DeviceAnswers>> of_devices_;
    std::size_t working_on_ = 0;  ///< index of the device that job_ analyses
    int frames_drawn_ = 0;        ///< frames drawn since the timeline was uploaded to the GPU
    bool is_due_ = false;         ///< true while the analyses wait for the timeline to be drawn
    Job<DeviceAnswers> job_;
};

}  // namespace snapviewer
