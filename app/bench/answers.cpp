#include "app/bench/answers.h"

#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/space/holes.h"
#include "core/analysis/stacks/flame_graph.h"
#include "core/base/context.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

constexpr int k_moments = 200;

template <typename Work>
double timed_ms(Work work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

class AnswerMeter {
public:
    explicit AnswerMeter(DeviceAnalyses& device) : device_(device) {}

    /// Measures an analysis that is computed once and cached. `ask` returns a Result.
    template <typename Ask>
    void once(const char* name, Ask ask) {
        if (error_) return;
        figures_.push_back({name, true, distribution_of({timed_ms([&] {
                                if (const Status made = caught([&] { ask(); }); !made) error_ = made.error();
                            })})});
    }

    /// Measures `look_up(moment)` after random numbers of events. Destroying its results is excluded from the measured time.
    template <typename LookUp>
    void at_random(const char* name, LookUp look_up) {
        if (error_) return;
        std::mt19937 random(1);
        std::uniform_int_distribution<std::uint32_t> moments(0, static_cast<std::uint32_t>(device_.trace().events.size()));
        std::vector<double> runs_ms;
        for (int i = 0; i < k_moments; ++i) {
            const std::uint32_t moment = moments(random);
            std::optional<decltype(look_up(moment))> found;
            runs_ms.push_back(timed_ms([&] { found.emplace(look_up(moment)); }));
        }
        figures_.push_back({name, false, distribution_of(std::move(runs_ms))});
    }

    Result<std::vector<AnswerFigures>> take() {
        if (error_) return *error_;
        return std::move(figures_);
    }

private:
    DeviceAnalyses& device_;
    std::vector<AnswerFigures> figures_;
    std::optional<Error> error_;
};

/// Measures the cached analyses in the order of their dependencies, so that each time excludes the others.
void measure_once(AnswerMeter& meter, DeviceAnalyses& device) {
    meter.once("stacks", [&] { return device.stack_lines(); });
    meter.once("steps", [&] { return device.steps(); });
    meter.once("growth", [&] { return device.growth(); });
    meter.once("kinds", [&] { return device.kinds(); });
    meter.once("address space", [&] { return device.address_space(); });
    meter.once("holes", [&] { return device.holes(); });
    meter.once("oom", [&] { return device.oom(); });
    meter.once("churn", [&] { return device.churn(); });
    meter.once("findings", [&] { return device.findings(); });
}

/// The function of the widest call below the outermost three levels; nullopt without stacks.
std::optional<CallFunction> wide_function(const Icicle& graph) {
    std::optional<CallFunction> widest;
    double width = 0;
    for (const IcicleNode& node : graph.nodes) {
        if (!node.is_call() || node.depth < 3 || node.width <= width) continue;
        width = node.width;
        widest = CallFunction{node.place.file, node.function};
    }
    return widest;
}

void measure_trees(AnswerMeter& meter, const Timeline& timeline, const StackLines& lines) {
    const auto tick_of = [&](std::uint32_t moment) { return tick_of_moment(timeline, moment); };
    meter.at_random("call tree", [&](std::uint32_t moment) {
        return make_call_tree(timeline, lines, tick_of(moment), TreeFrames::filtered);
    });
    meter.at_random("flame graph",
                    [&](std::uint32_t moment) { return make_flame_graph(timeline, lines, {.tick = tick_of(moment)}); });
    const auto at_peak = make_flame_graph(timeline, lines, {.tick = timeline.peak_tick()});
    if (const auto function = wide_function(at_peak)) {
        meter.at_random("callers and callees", [&](std::uint32_t moment) {
            return make_flame_graph(timeline, lines, {.tick = tick_of(moment), .paths = {.around = function}});
        });
    }
    meter.at_random("changes between",
                    [&](std::uint32_t moment) { return changes_between(timeline, tick_of(moment), timeline.peak_tick()); });
}

}  // namespace

Result<std::vector<AnswerFigures>> measure_answers(const Document& document, std::size_t device_index) {
    DeviceAnalyses& device = document.analyses->device(device_index);
    AnswerMeter meter(device);
    measure_once(meter, device);
    const auto space = device.address_space();
    const auto lines = device.stack_lines();
    meter.at_random("layout", [&](std::uint32_t moment) { return space->at(moment); });
    meter.at_random("pins", [&](std::uint32_t moment) { return pins_at(*space, space->at(moment)); });
    measure_trees(meter, device.timeline(), *lines);
    return meter.take();
}

}  // namespace snapviewer
