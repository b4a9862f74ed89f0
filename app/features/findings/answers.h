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

/// Runs the analyses of the device on the screen in the background once its picture is drawn, and leads from a finding to
/// its place in the picture. Main thread.
class Answers : public Feature {
public:
    /// All outlive this.
    Answers(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Every frame.
    void update() override;
    /// Cancels the analyses; they start again only on request.
    void stop() { job_.stop(); }
    /// After it was stopped or failed.
    void restart();
    /// Shows what a finding of the device on the screen is about.
    void go_to(std::size_t finding);
    /// Highlights all allocations of a growing stack, see growth_row().
    void go_to_growth(std::size_t index);
    /// Shows the allocations that are live at an event of the device on the screen.
    void go_to_event(std::uint32_t event);
    /// Adds up the card as the last of PyTorch's out-of-memory errors in a text says.
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
    std::shared_ptr<const Document> document_;  ///< whose answers these are
    std::vector<std::shared_ptr<const DeviceAnswers>> of_devices_;
    std::size_t working_on_ = 0;  ///< the device that job_ is about
    int frames_drawn_ = 0;        ///< since the picture was sent
    bool is_due_ = false;         ///< waits for the picture
    Job<DeviceAnswers> job_;
};

}  // namespace snapviewer
