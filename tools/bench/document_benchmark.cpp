#include "tools/bench/document_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "app/features/timeline/timeline_axis.h"
#include "core/analysis/findings/analyses.h"
#include "core/analysis/space/holes.h"
#include "core/analysis/stacks/icicle.h"
#include "core/base/context.h"
#include "core/mesh/mesh.h"
#include "core/timeline/search.h"
#include "core/timeline/totals.h"

namespace snapviewer::bench {

Distribution distribution_of(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::ranges::sort(samples);
    // Nearest rank: the smallest sample that is at least as large as `percent` % of the samples.
    const auto percentile = [&](std::size_t percent) { return samples[(samples.size() * percent + 99) / 100 - 1]; };
    return {percentile(50), percentile(95), samples.back(), samples.size()};
}

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
    explicit AnswerMeter(findings::DeviceAnalyses& device) : device_(device) {}

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
    findings::DeviceAnalyses& device_;
    std::vector<AnswerFigures> figures_;
    std::optional<Error> error_;
};

/// Measures the cached analyses in the order of their dependencies, so that each time excludes the others.
void measure_once(AnswerMeter& meter, findings::DeviceAnalyses& device) {
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
std::optional<stacks::CallFunction> wide_function(const stacks::Icicle& graph) {
    std::optional<stacks::CallFunction> widest;
    double width = 0;
    for (const stacks::IcicleNode& node : graph.nodes) {
        if (!node.is_call() || node.depth < 3 || node.width <= width) continue;
        width = node.width;
        widest = stacks::CallFunction{node.place.file, node.function};
    }
    return widest;
}

void measure_trees(AnswerMeter& meter, const Timeline& timeline, const StackLines& lines) {
    const auto tick_of = [&](std::uint32_t moment) { return tick_of_moment(timeline, moment); };
    meter.at_random("call tree", [&](std::uint32_t moment) {
        return stacks::make_call_tree(timeline, lines, tick_of(moment), stacks::TreeFrames::filtered);
    });
    meter.at_random("flame graph", [&](std::uint32_t moment) {
        return stacks::make_flame_graph(timeline, lines, {.tick = tick_of(moment)});
    });
    const auto at_peak = stacks::make_flame_graph(timeline, lines, {.tick = timeline.peak_tick()});
    if (const auto function = wide_function(at_peak)) {
        meter.at_random("callers and callees", [&](std::uint32_t moment) {
            return stacks::make_flame_graph(timeline, lines, {.tick = tick_of(moment), .paths = {.around = function}});
        });
    }
    meter.at_random("changes between",
                    [&](std::uint32_t moment) { return changes_between(timeline, tick_of(moment), timeline.peak_tick()); });
}

}  // namespace

Result<std::vector<AnswerFigures>> measure_answers(const Document& document, std::size_t device_index) {
    findings::DeviceAnalyses& device = document.analyses->device(device_index);
    AnswerMeter meter(device);
    measure_once(meter, device);
    const auto space = device.address_space();
    const auto lines = device.stack_lines();
    meter.at_random("layout", [&](std::uint32_t moment) { return space->at(moment); });
    meter.at_random("pins", [&](std::uint32_t moment) { return space::pins_at(*space, space->at(moment)); });
    measure_trees(meter, device.timeline(), *lines);
    return meter.take();
}

namespace {

constexpr int k_lookups = 10'000;
constexpr int k_query_runs = 7;
/// Time limit for repeating slow operations; k_min repetitions are always made.
constexpr double k_max_ms = 250;
constexpr std::size_t k_min = 3;

/// Durations of a repeated operation, all in milliseconds or all in microseconds.
class Repeats {
public:
    Repeats(int most, double most_time) : most_(static_cast<std::size_t>(most)), most_time_(most_time) {}
    bool goes_on() const { return times_.size() < most_ && (times_.size() < k_min || spent_ < most_time_); }
    void add(double time) {
        times_.push_back(time);
        spent_ += time;
    }
    Distribution take() { return distribution_of(std::move(times_)); }

private:
    std::size_t most_;
    double most_time_;
    double spent_ = 0;
    std::vector<double> times_;
};

Repeats repeated_lookups() { return {k_lookups, 1000 * k_max_ms}; }

template <typename Work>
double timed_us(Work work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
}

/// The innermost function of the stack with the most allocations; "" without stacks.
std::string commonest_function(const Document& document, std::size_t device_index) {
    std::map<StackId, std::size_t> uses;
    for (const StackId stack : document.snapshot->devices[device_index].allocations.stack) {
        if (stack.is_some()) ++uses[stack];
    }
    if (uses.empty()) return "";
    const auto commonest = std::ranges::max_element(uses, {}, [](const auto& entry) { return entry.second; });
    const StackTable& stacks = document.snapshot->stacks;
    const std::span<const FrameId> frames = stacks.stack(commonest->first);
    if (frames.empty()) return "";
    return std::string(document.snapshot->strings.view(stacks.frame(frames.front()).function));
}

/// Measures `look_up(tick)` at random ticks. Destroying its results is excluded.
template <typename LookUp>
Distribution measure_at_random_ticks(const Timeline& timeline, LookUp look_up) {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> ticks(0, timeline.tick_count() - 1);
    Repeats times_us = repeated_lookups();
    while (times_us.goes_on()) {
        const std::uint32_t tick = ticks(random);
        decltype(look_up(tick)) found;
        times_us.add(timed_us([&] { found = look_up(tick); }));
    }
    return times_us.take();
}

Result<QueryFigures> measure_query(query::Database& database, std::string name, std::string sql) {
    QueryFigures figures{std::move(name), std::move(sql), 0, {}};
    Repeats runs_ms(k_query_runs, k_max_ms);
    while (runs_ms.goes_on()) {
        const Result<query::QueryResult> result = database.run(figures.sql, {});
        if (!result) return result.error();
        figures.rows = result->row_count();
        runs_ms.add(result->elapsed_ms);
    }
    figures.ms = runs_ms.take();
    return figures;
}

Distribution measure_pick(const Timeline& timeline, const mesh::Mesh& mesh) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> across(0, axis_end(timeline, Axis::steps));
    std::uniform_real_distribution<double> up(0, static_cast<double>(timeline.peak_bytes()));
    std::uniform_real_distribution<double> depth(0, 1);
    const double widest_column = axis_end(timeline, Axis::steps) / 1000;
    Repeats picks_us = repeated_lookups();
    while (picks_us.goes_on()) {
        const double x = across(random);
        const double y = up(random);
        const double column = std::pow(widest_column, depth(random));
        std::optional<PlacedAllocation> found;
        picks_us.add(timed_us([&] { found = mesh::pick_in_column(timeline, mesh, Axis::steps, x, x + column, y); }));
    }
    return picks_us.take();
}

Distribution measure_live_at(const Timeline& timeline) {
    return measure_at_random_ticks(timeline, [&](std::uint32_t tick) { return timeline.live_after_tick(tick); });
}

Distribution measure_live_totals(const Timeline& timeline) {
    return measure_at_random_ticks(
        timeline, [&](std::uint32_t tick) { return totals_by_stack(timeline, timeline.live_after_tick(tick)); });
}

Distribution measure_search(const Document& document, std::size_t device_index) {
    const Timeline& timeline = *document.devices[device_index].timeline;
    const std::string function = commonest_function(document, device_index);
    Repeats runs_ms(k_query_runs, k_max_ms);
    while (runs_ms.goes_on()) {
        Emphasis found;
        runs_ms.add(timed_us([&] { found = find_text(timeline, function); }) / 1000);
    }
    return runs_ms.take();
}

}  // namespace

LookupFigures measure_lookups(const Document& document, std::size_t device_index) {
    const DeviceView& device = document.devices[device_index];
    return {measure_pick(*device.timeline, *device.mesh), measure_live_at(*device.timeline),
            measure_live_totals(*device.timeline), measure_search(document, device_index)};
}

Result<std::vector<QueryFigures>> measure_queries(const Document& document, std::size_t device_index) {
    document.database->set_allocs_device(device_index);
    const Timeline& timeline = *document.devices[device_index].timeline;
    const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());
    std::string function = commonest_function(document, device_index);
    std::erase_if(function, [](char c) { return c == '\'' || c == '%' || c == '_'; });
    const std::pair<const char*, std::string> questions[] = {
        {"alive at T",
         fmt::format("SELECT a.id, a.size, alloc_step, free_step, s.text FROM allocations a LEFT JOIN stacks s ON s.id = "
                     "a.stack_id WHERE a.device = {} AND alloc_step <= {} AND (free_step IS NULL OR free_step > {}) "
                     "ORDER BY a.size DESC",
                     timeline.trace().device, step, step)},
        {"stack contains X",
         fmt::format("SELECT idx, size, start_time, end_time FROM allocs WHERE callstack LIKE '%{}%'", function)},
        {"largest first", "SELECT idx, size, callstack FROM allocs ORDER BY size DESC LIMIT 100"},
        {"group by stack",
         "SELECT id, allocations, allocated_bytes, largest_bytes FROM stacks ORDER BY allocated_bytes DESC LIMIT 100"},
        {"count of allocations", "SELECT count(*) FROM allocations"},
        {"count of events", "SELECT count(*) FROM events"},
        {"sum over allocations", "SELECT sum(size) FROM allocations"},
        {"sum over events", "SELECT sum(size) FROM events"},
        {"allocations by stack", "SELECT stack_id, count(*), sum(size) FROM allocations GROUP BY stack_id"},
        {"events by stack", "SELECT stack_id, count(*), sum(size) FROM events GROUP BY stack_id"}};
    std::vector<QueryFigures> all;
    for (const auto& [name, sql] : questions) {
        Result<QueryFigures> figures = measure_query(*document.database, name, sql);
        if (!figures) return figures.error();
        all.push_back(std::move(figures).value());
    }
    return all;
}

namespace {

constexpr int k_zoom_stops = 12;
constexpr int k_one_axis_stops = 4;

/// Plans the stops of the walk. A depth is a zoom level on a logarithmic scale, from the whole picture (0) to the nearest
/// view (1).
class WalkPlanner {
public:
    WalkPlanner(const Timeline& timeline, Axis axis)
        : limits_(view_limits(timeline, axis)),
          fit_(fit_view(limits_)),
          focus_x_(place_of_tick(timeline, axis, timeline.peak_tick())),
          focus_y_(limits_.y_end / 2),
          nearest_x_(std::min(1.0, limits_.min_width / fit_.width())),
          nearest_y_(std::min(1.0, limits_.min_height / fit_.height())) {}

    std::vector<WalkStop> plan() {
        add("fit", 8, [&](double part) { return pan_view(fit_, (part - 0.5) * 0.1 * fit_.width(), 0, limits_); });
        for (int stop = 0; stop < k_zoom_stops; ++stop) {
            add(fmt::format("zoom in {}", stop + 1), 6, [&](double part) { return near((stop + part) / k_zoom_stops); });
        }
        for (const double depth : {1.0, 0.6, 0.3}) {
            const View view = near(depth);
            add(fmt::format("pan at {:.0f} %", 100 * depth), 12,
                [&](double part) { return pan_view(view, 2 * part * view.width(), 0.2 * part * view.height(), limits_); });
        }
        add("zoom out", 18, [&](double part) { return near(1 - part); });
        for (int stop = 0; stop < k_one_axis_stops; ++stop) {
            const auto depth = [stop](double part) { return (stop + part) / k_one_axis_stops; };
            add(fmt::format("zoom x {}", stop + 1), 6, [&](double part) { return zoomed(depth(part), 0); });
            add(fmt::format("zoom y {}", stop + 1), 6, [&](double part) { return zoomed(0, depth(part)); });
        }
        return std::move(stops_);
    }

private:
    /// Adds a stop. `view_at` receives the progress within the stop, above 0 and up to 1.
    template <typename ViewAt>
    void add(std::string name, int frames, ViewAt view_at) {
        WalkStop& stop = stops_.emplace_back(WalkStop{std::move(name), {}});
        for (int frame = 1; frame <= frames; ++frame) stop.views.push_back(view_at(static_cast<double>(frame) / frames));
    }
    View zoomed(double depth_x, double depth_y) const {
        return zoom_view(fit_, focus_x_, focus_y_, std::pow(nearest_x_, depth_x), std::pow(nearest_y_, depth_y), limits_);
    }
    /// Zooms both axes by the same factor, as the mouse wheel does.
    View near(double depth) const {
        const double factor = std::pow(nearest_x_, depth);
        return zoom_view(fit_, focus_x_, focus_y_, factor, factor, limits_);
    }

    ViewLimits limits_;
    View fit_;
    double focus_x_, focus_y_;
    double nearest_x_, nearest_y_;
    std::vector<WalkStop> stops_;
};

}  // namespace

std::vector<WalkStop> benchmark_walk(const Timeline& timeline, Axis axis) { return WalkPlanner(timeline, axis).plan(); }

}  // namespace snapviewer::bench
