#include "app/bench/pages.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace snapviewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto k_of_screen = std::chrono::microseconds(16'667);
constexpr int k_least_frames = 3;
constexpr auto k_longest = std::chrono::seconds(10);
constexpr std::string_view k_typed = "forward";
constexpr const char* k_filtered = "rank1";

class PageMeter {
public:
    PageMeter(Studio& studio, Application& shown) : studio_(studio), shown_(shown) {}

    void open_each() {
        for (const MenuEntry& entry : shown_.commands().entries_of(Menu::panels)) {
            if (entry.command != nullptr) open(*entry.command);
        }
        open(*shown_.commands().find("view_flame"));
    }

    void arrange_table() {
        shown_.ask(RunCommand{"tools_table"});
        come_to_rest(studio_, shown_);
        RowArrangement& wanted = shown_.state().table.wanted;
        for (const AllocationColumn column : {AllocationColumn::life_steps, AllocationColumn::stack}) {
            measure("table, sorted by " + std::string(info_of(column).title), [&] { wanted.sorted_by = column; });
        }
        measure("table, sizes filtered", [&] { filter(wanted, AllocationColumn::size) = "> 1 MiB"; });
        measure("table, stacks filtered", [&] { filter(wanted, AllocationColumn::stack) = k_typed; });
        dismiss();
    }

    void search() {
        PageFigures slowest{"search, a key", 0, 0};
        for (std::size_t length = 1; length <= k_typed.size(); ++length) {
            measure("", [&] { shown_.ask(FindText{std::string(k_typed.substr(0, length))}); });
            const PageFigures key = std::move(figures_.back());
            figures_.pop_back();
            slowest.whole_ms = std::max(slowest.whole_ms, key.whole_ms);
            slowest.longest_frame_ms = std::max(slowest.longest_frame_ms, key.longest_frame_ms);
        }
        figures_.push_back(std::move(slowest));
    }

    /// Opens a fleet and measures its pages. Fails if the fleet cannot be read.
    Status open_fleet(const std::string& path) {
        measure("fleet, opened", [&] { shown_.ask(OpenFleet{{path}}); });
        FleetState& fleet = shown_.state().fleet;
        if (!fleet.work.error.empty()) return Error{.message = fleet.work.error};
        if (fleet.shown == nullptr || std::ranges::none_of(fleet.shown->ranks, &ShownRank::is_readable))
            return Error{.message = "holds no rank that can be read, as `snapviewer fleet` tells in detail"};
        measure("fleet, sorted by peak", [&] { fleet.order = {FleetColumn::peak, true, ""}; });
        measure("fleet, sorted by note", [&] { fleet.order.by = FleetColumn::note; });
        measure("fleet, filtered", [&] { fleet.order.filter = k_filtered; });
        return {};
    }

    std::vector<PageFigures> take() { return std::move(figures_); }

private:
    static std::string& filter(RowArrangement& wanted, AllocationColumn column) {
        return wanted.filters[static_cast<std::size_t>(column)];
    }

    /// Measures a command that opens a page, and closes the page again if it stays open.
    void open(const Command& command) {
        const AppState& state = shown_.state();
        if (!command.can_run(state) || (command.is_on && command.is_on(state))) return;
        measure(command.words, [&] { shown_.ask(RunCommand{command.id}); });
        if (command.is_on)
            shown_.ask(RunCommand{command.id});
        else
            dismiss();
        come_to_rest(studio_, shown_);
    }

    void dismiss() {
        for (const int action : {GLFW_PRESS, GLFW_RELEASE}) {
            studio_.interface->begin_frame();
            shown_.frame({{{.key = GLFW_KEY_ESCAPE, .action = action}}});
            studio_.interface->end_frame(studio_.target);
        }
        settle(studio_, shown_);
    }

    /// Measures the frames after an action. Requests are handled at the end of a frame, and ImGui shows a tab one frame
    /// after it was selected, so at least k_least_frames frames are drawn.
    template <typename Act>
    void measure(std::string name, Act act) {
        PageFigures figures{std::move(name), 0, 0};
        act();
        const auto began = Clock::now();
        auto next = began;
        for (int frame = 1; frame <= k_least_frames || (shown_.is_animating() && next - began < k_longest); ++frame) {
            std::this_thread::sleep_until(next);
            next += k_of_screen;
            figures.longest_frame_ms = std::max(figures.longest_frame_ms, timed_frame(studio_, shown_).whole_ms);
            figures.whole_ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
        }
        figures_.push_back(std::move(figures));
    }

    Studio& studio_;
    Application& shown_;
    std::vector<PageFigures> figures_;
};

/// Calls `act` with a window that shows a document, or none, and whose background work has finished.
template <typename Act>
Result<std::vector<PageFigures>> pages_of_window(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                                 const FrameOptions& options, Act act) {
    Result<Studio> studio = Studio::create(options.width_px, options.height_px);
    if (!studio) return studio.error();
    const auto shown = make_application(*studio, document, device_index, options.all_tracks);
    if (!shown) return shown.error();
    come_to_rest(*studio, **shown);
    PageMeter meter(*studio, **shown);
    if (const Status acted = act(meter); !acted) return acted.error();
    return meter.take();
}

}  // namespace

Result<std::vector<PageFigures>> measure_pages(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                               const FrameOptions& options) {
    return pages_of_window(document, device_index, options, [](PageMeter& meter) {
        meter.search();
        meter.arrange_table();
        meter.open_each();
        return Status();
    });
}

Result<std::vector<PageFigures>> measure_fleet_pages(const std::string& path, const FrameOptions& options) {
    return pages_of_window(nullptr, 0, options, [&path](PageMeter& meter) { return meter.open_fleet(path); });
}

}  // namespace snapviewer
