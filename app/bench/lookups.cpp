#include "app/bench/lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "app/features/timeline/timeline_axis.h"
#include "core/mesh/pick.h"
#include "core/timeline/search.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

constexpr int k_lookups = 10'000;
constexpr int k_query_runs = 7;
/// Time limit for repeating slow operations; k_fewest repetitions are always made.
constexpr double k_most_ms = 250;
constexpr std::size_t k_fewest = 3;

/// Durations of a repeated operation, all in milliseconds or all in microseconds.
class Repeats {
public:
    Repeats(int most, double most_time) : most_(static_cast<std::size_t>(most)), most_time_(most_time) {}
    bool goes_on() const { return times_.size() < most_ && (times_.size() < k_fewest || spent_ < most_time_); }
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

Repeats repeated_lookups() { return {k_lookups, 1000 * k_most_ms}; }

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

Result<QueryFigures> measure_query(Database& database, std::string name, std::string sql) {
    QueryFigures figures{std::move(name), std::move(sql), 0, {}};
    Repeats runs_ms(k_query_runs, k_most_ms);
    while (runs_ms.goes_on()) {
        const Result<QueryResult> result = database.run(figures.sql, {});
        if (!result) return result.error();
        figures.rows = result->row_count();
        runs_ms.add(result->elapsed_ms);
    }
    figures.ms = runs_ms.take();
    return figures;
}

Distribution measure_pick(const Timeline& timeline, const Mesh& mesh) {
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
        picks_us.add(timed_us([&] { found = pick_in_column(timeline, mesh, Axis::steps, x, x + column, y); }));
    }
    return picks_us.take();
}

Distribution measure_live_at(const Timeline& timeline) {
    return measure_at_random_ticks(timeline, [&](std::uint32_t tick) { return timeline.live_after_tick(tick); });
}

Distribution measure_live_totals(const Timeline& timeline) {
    return measure_at_random_ticks(timeline, [&](std::uint32_t tick) { return live_totals_by_stack(timeline, tick); });
}

Distribution measure_search(const Document& document, std::size_t device_index) {
    const Timeline& timeline = *document.devices[device_index].timeline;
    const std::string function = commonest_function(document, device_index);
    Repeats runs_ms(k_query_runs, k_most_ms);
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

}  // namespace snapviewer
