#include "core/timeline/curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <ranges>

namespace snapviewer {
namespace {

/// Fan-out of the pyramid: each entry covers this many values, or entries of the level below.
constexpr std::size_t k_fan_out = 32;

constexpr ValueSpan k_no_values{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void include(ValueSpan& span, ValueSpan other) {
    span.low = std::min(span.low, other.low);
    span.high = std::max(span.high, other.high);
}

/// The extremes of each run of k_fan_out items; the last run may be shorter.
template <typename SpanOf>
std::vector<ValueSpan> extremes_of_runs(std::size_t count, SpanOf span_of) {
    std::vector<ValueSpan> out((count + k_fan_out - 1) / k_fan_out, k_no_values);
    for (std::size_t i = 0; i < count; ++i) include(out[i / k_fan_out], span_of(i));
    return out;
}

}  // namespace

RecordedSteps::RecordedSteps(std::size_t count, Find find)
    : count_(count), find_(std::move(find)), is_found_((count + k_run_size - 1) / k_run_size) {}

void RecordedSteps::find_run(std::size_t run) const {
    const std::lock_guard lock(mutex_);
    if (is_found_[run].load(std::memory_order_relaxed)) return;
    // Uninitialized, so that the system provides no memory for pages that are never used.
    if (steps_ == nullptr) steps_ = std::make_unique_for_overwrite<double[]>(count_);
    const std::size_t begin = run * k_run_size;
    find_(begin, {steps_.get() + begin, std::min(k_run_size, count_ - begin)});
    is_found_[run].store(true, std::memory_order_release);
}

Curve::Curve(CurveTitle title, std::vector<AxisPlace> places, std::vector<double> values)
    : title_(std::move(title)), places_(std::move(places)), values_(std::move(values)) {
    assert(places_.size() == values_.size());
    build_pyramid();
}

Curve::Curve(CurveTitle title, std::shared_ptr<const Ticks> ticks) : title_(std::move(title)), ticks_(std::move(ticks)) {
    build_pyramid();
}

Curve::Curve(CurveTitle title, Recorded recorded) : title_(std::move(title)), recorded_(std::move(recorded)) {
    build_pyramid();
}

void Curve::build_pyramid() {
    if (size() > k_fan_out) {
        pyramid_.push_back(extremes_of_runs(size(), [&](std::size_t i) { return ValueSpan{value(i), value(i)}; }));
    }
    while (!pyramid_.empty() && pyramid_.back().size() > k_fan_out) {
        const std::vector<ValueSpan>& below = pyramid_.back();
        pyramid_.push_back(extremes_of_runs(below.size(), [&](std::size_t i) { return below[i]; }));
    }
    const ValueSpan all = size() == 0 ? ValueSpan{} : extremes(0, size());
    lowest_ = all.low;
    highest_ = all.high;
}

/// The extremes of values [first, last). Complete runs come from the pyramid, one level up at a time.
ValueSpan Curve::extremes(std::size_t first, std::size_t last) const {
    ValueSpan span = k_no_values;
    const auto climb = [&](bool is_top, auto span_of) {
        const std::size_t first_run = (first + k_fan_out - 1) / k_fan_out;
        const std::size_t last_run = last / k_fan_out;
        const bool grows_up = !is_top && first_run < last_run;
        const std::size_t end_of_left = grows_up ? first_run * k_fan_out : last;
        for (std::size_t i = first; i < end_of_left; ++i) include(span, span_of(i));
        if (!grows_up) return false;
        for (std::size_t i = last_run * k_fan_out; i < last; ++i) include(span, span_of(i));
        first = first_run;
        last = last_run;
        return true;
    };
    if (!climb(pyramid_.empty(), [&](std::size_t i) { return ValueSpan{value(i), value(i)}; })) return span;
    for (std::size_t level = 0; climb(level + 1 == pyramid_.size(), [&](std::size_t i) { return pyramid_[level][i]; });)
        ++level;
    return span;
}

/// Binary search for the first point whose coordinate satisfies `is_reached`, which must hold for all later points too.
template <typename IsReached>
std::size_t Curve::first_where(Axis axis, IsReached is_reached) const {
    const auto all = std::views::iota(std::size_t{0}, size());
    const auto is_before = [&](std::size_t i) { return !is_reached(on(axis, i)); };
    return static_cast<std::size_t>(std::ranges::partition_point(all, is_before) - all.begin());
}

double Curve::at(Axis axis, double x) const {
    if (size() == 0) return 0;
    const std::size_t after = first_where(axis, [x](double place) { return place > x; });
    return value(after == 0 ? 0 : after - 1);
}

void Curve::sample(Axis axis, double x0, double x1, std::span<ValueSpan> columns) const {
    if (size() == 0) {
        std::ranges::fill(columns, ValueSpan{});
        return;
    }
    const auto first_from = [&](double x) { return first_where(axis, [x](double place) { return place >= x; }); };
    const double width = (x1 - x0) / static_cast<double>(columns.size());
    std::size_t first = first_from(x0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const double begin = x0 + width * static_cast<double>(column);
        const double end = x0 + width * static_cast<double>(column + 1);  // exactly equal to the begin of the next column
        const std::size_t last = std::max(first, first_from(end));
        // The previous value still holds when the column begins, unless the next value begins exactly there.
        const bool starts_anew = first < size() && on(axis, first) <= begin;
        const std::size_t from = first == 0 || starts_anew ? first : first - 1;
        columns[column] = from < last ? extremes(from, last) : ValueSpan{value(from), value(from)};
        first = last;
    }
}

AxisPlace AxisPlaces::of_tick(std::uint32_t tick) const {
    return {place_of_tick(picture_, Axis::steps, tick),
            picture_.has_times() ? place_of_tick(picture_, Axis::time, tick) : 0.0};
}

/// The position of an event. `tick` is the first tick whose events include this one: the event happens at that tick or
/// between it and the previous tick.
AxisPlace AxisPlaces::before_tick(std::uint32_t event, std::uint32_t tick) const {
    const auto done_by = picture_.tick_events();
    const AxisPlace to = of_tick(tick);
    const bool is_edge = tick + 1 == picture_.tick_count();
    if (tick == 0 || (!is_edge && done_by[tick] == event + 1)) return to;
    const AxisPlace from = of_tick(tick - 1);
    const double share = static_cast<double>(event + 1 - done_by[tick - 1]) / (done_by[tick] - done_by[tick - 1]);
    AxisPlace place{std::lerp(from.step, to.step, share), from.time_us};
    const std::int64_t time_us = picture_.trace().events.time_us[event];
    if (picture_.has_times() && time_us != k_no_time) {
        const auto since_us = static_cast<double>(time_us - picture_.start_time_us());
        place.time_us = std::clamp(since_us, from.time_us, to.time_us);
    }
    return place;
}

AxisPlace AxisPlaces::of_event(std::uint32_t event) const {
    const auto done_by = picture_.tick_events();
    const auto tick = std::ranges::lower_bound(done_by, event + 1) - done_by.begin();
    return before_tick(event, static_cast<std::uint32_t>(tick));
}

AxisPlace AxisPlaces::of_next_event(std::uint32_t event, std::uint32_t& tick) const {
    const auto done_by = picture_.tick_events();
    while (done_by[tick] < event + 1) ++tick;
    return before_tick(event, tick);
}

AxisPlace AxisPlaces::of_time(std::int64_t time_us) const {
    if (!picture_.has_times() || time_us <= picture_.start_time_us()) return left_edge();
    const std::int64_t since_us = time_us - picture_.start_time_us();
    if (since_us >= picture_.tick_times_us().back()) return right_edge();
    AxisPlace place{0, static_cast<double>(since_us)};
    find_steps_of_times(*picture_.ticks(), picture_.start_time_us(), {&time_us, 1}, {&place.step, 1});
    return place;
}

std::uint64_t AxisPlaces::step_of_next_action(std::int64_t time_us) const {
    const auto times = picture_.tick_times_us();
    if (time_us > picture_.start_time_us() + times.back()) return picture_.step_count();
    const std::int64_t since_us = time_us > picture_.start_time_us() ? time_us - picture_.start_time_us() : 0;
    const auto actions = times.subspan(1, times.size() - 2);
    const auto next = static_cast<std::uint32_t>(std::ranges::lower_bound(actions, since_us) - actions.begin() + 1);
    // The tick of a free lies at the end of the step that the free takes, so its action begins one step earlier.
    return picture_.step_of_tick(next) - (picture_.is_free(next) ? 1 : 0);
}

void find_steps_of_times(const Ticks& ticks, std::int64_t start_us, std::span<const std::int64_t> times_us,
                         std::span<double> steps) {
    if (times_us.empty()) return;
    auto next = std::ranges::upper_bound(ticks.time_us, times_us.front() - start_us);
    for (std::size_t i = 0; i < times_us.size(); ++i) {
        const std::int64_t since_us = times_us[i] - start_us;
        if (since_us <= 0 || since_us >= ticks.time_us.back()) {
            steps[i] = since_us <= 0 ? 0.0 : static_cast<double>(ticks.step.back());
            continue;
        }
        while (*next <= since_us) ++next;
        const auto from_us = static_cast<double>(*(next - 1)), to_us = static_cast<double>(*next);
        const auto step = ticks.step.begin() + (next - ticks.time_us.begin());
        steps[i] = std::lerp(static_cast<double>(*(step - 1)), static_cast<double>(*step),
                             (static_cast<double>(since_us) - from_us) / (to_us - from_us));
    }
}

}  // namespace snapviewer
