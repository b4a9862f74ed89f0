#include "core/timeline/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr double k_headroom_share = 0.05;
constexpr double k_max_view_factor = 1.5;     // largest view, as a multiple of the picture
constexpr double k_min_coverage = 0.1;        // smallest share of the view that the picture covers
constexpr double k_max_revealed_share = 0.8;  // largest share of the view that a revealed rectangle covers

struct AxisRange {
    double begin = 0;
    double end = 1;

    double length() const { return end - begin; }
};

/// The limits of one axis.
struct RangeLimits {
    double picture = 1;
    double shortest = 1;

    double longest() const { return std::max(picture * k_max_view_factor, shortest); }
};

/// Shifts a range by the smallest distance that keeps the picture in the view.
AxisRange clamp_to_picture(const AxisRange& range, const RangeLimits& limits) {
    const double length = range.length();
    const double covered = std::min(length * k_min_coverage, limits.picture);
    const double begin = std::clamp(range.begin, covered - length, limits.picture - covered);
    return begin == range.begin ? range : AxisRange{begin, begin + length};
}

AxisRange zoom_range(const AxisRange& range, double fixed, double factor, const RangeLimits& limits) {
    const double length = range.length();
    // Limits the factor and not the result, so that the fixed point keeps its position.
    const double wanted = std::clamp(length * factor, std::min(limits.shortest, length), std::max(limits.longest(), length));
    const double allowed = wanted / length;
    if (allowed == 1.0) return range;
    return clamp_to_picture({fixed - (fixed - range.begin) * allowed, fixed + (range.end - fixed) * allowed}, limits);
}

AxisRange allowed_range(const AxisRange& wanted, const RangeLimits& limits) {
    const double length = std::clamp(wanted.length(), limits.shortest, limits.longest());
    if (length == wanted.length()) return clamp_to_picture(wanted, limits);
    const double begin = std::clamp(std::midpoint(wanted.begin, wanted.end), 0.0, limits.picture) - length / 2;
    return clamp_to_picture({begin, begin + length}, limits);
}

AxisRange reveal_range(const AxisRange& range, const AxisRange& target, const RangeLimits& limits) {
    if (target.begin >= range.begin && target.end <= range.end) return range;
    const double length = std::max(range.length(), std::min(target.length() / k_max_revealed_share, limits.longest()));
    const double begin = target.begin + (target.length() - length) / 2;
    return clamp_to_picture({begin, begin + length}, limits);
}

AxisRange x_range(const View& view) { return {view.x_begin, view.x_end}; }
AxisRange y_range(const View& view) { return {view.y_begin, view.y_end}; }
RangeLimits x_limits(const ViewLimits& limits) { return {limits.x_end, limits.min_width}; }
RangeLimits y_limits(const ViewLimits& limits) { return {limits.y_end, limits.min_height}; }
View make_view(const AxisRange& x, const AxisRange& y) { return {x.begin, x.end, y.begin, y.end}; }

}  // namespace

View fit_view(const ViewLimits& limits) {
    return {0, std::max(limits.x_end, limits.min_width), 0,
            std::max(limits.y_end * (1 + k_headroom_share), limits.min_height)};
}

View zoom_view(const View& view, double x, double y, double factor_x, double factor_y, const ViewLimits& limits) {
    return make_view(zoom_range(x_range(view), x, factor_x, x_limits(limits)),
                     zoom_range(y_range(view), y, factor_y, y_limits(limits)));
}

View allowed_view(const View& wanted, const ViewLimits& limits) {
    return make_view(allowed_range(x_range(wanted), x_limits(limits)), allowed_range(y_range(wanted), y_limits(limits)));
}

View pan_view(const View& view, double dx, double dy, const ViewLimits& limits) {
    return make_view(clamp_to_picture({view.x_begin + dx, view.x_end + dx}, x_limits(limits)),
                     clamp_to_picture({view.y_begin + dy, view.y_end + dy}, y_limits(limits)));
}

View reveal_in_view(const View& view, const View& target, const ViewLimits& limits) {
    return make_view(reveal_range(x_range(view), x_range(target), x_limits(limits)),
                     reveal_range(y_range(view), y_range(target), y_limits(limits)));
}

namespace {

constexpr double k_max_axis_value = 0x1p62;
constexpr double k_max_ticks = 1000;
constexpr int k_max_decimals = 3;

struct TickUnit {
    const char* name;
    std::uint64_t size;
};

constexpr std::array k_memory_units = {TickUnit{"B", 1}, TickUnit{"KiB", std::uint64_t{1} << 10},
                                       TickUnit{"MiB", std::uint64_t{1} << 20}, TickUnit{"GiB", std::uint64_t{1} << 30},
                                       TickUnit{"TiB", std::uint64_t{1} << 40}};
constexpr std::array k_time_units = {TickUnit{"us", 1}, TickUnit{"ms", 1000}, TickUnit{"s", 1'000'000}};
constexpr std::uint64_t k_second_us = 1'000'000;
constexpr std::uint64_t k_minute_us = 60 * k_second_us;
constexpr std::uint64_t k_hour_us = 60 * k_minute_us;

/// The smallest distance between tick marks, in axis units, that keeps them `spacing_px` apart. Returns 0 if the range or
/// the sizes are invalid.
double min_tick_distance(double begin, double end, double length_px, double spacing_px) {
    if (!(end > begin) || !(length_px > 0) || !(spacing_px > 0) || end > k_max_axis_value || begin < -k_max_axis_value)
        return 0;
    return (end - begin) / std::min(length_px / spacing_px, k_max_ticks);
}

/// Tick marks at the non-negative multiples of `distance` in [begin, end].
std::vector<AxisTick> make_ticks(double begin, double end, std::uint64_t distance,
                                 const std::function<std::string(std::uint64_t)>& label) {
    std::vector<AxisTick> ticks;
    const auto step = static_cast<double>(distance);
    const auto first = static_cast<std::uint64_t>(std::ceil(std::max(begin, 0.0) / step)) * distance;
    for (std::uint64_t value = first; static_cast<double>(value) <= end; value += distance) {
        ticks.push_back({static_cast<double>(value), label(value)});
    }
    return ticks;
}

/// Returns 1, 2 or 5 times a power of ten that is at least `least`.
std::uint64_t round_decimal(double least) {
    std::uint64_t power = 1;
    while (static_cast<double>(power) * 10 <= least) power *= 10;
    for (const std::uint64_t digit : {1U, 2U, 5U}) {
        if (static_cast<double>(digit * power) >= least) return digit * power;
    }
    return 10 * power;
}

/// The number of decimals that writes every multiple of `distance` in `unit` exactly.
int decimals_needed(std::uint64_t distance, const TickUnit& unit) {
    int decimals = 0;
    for (std::uint64_t rest = distance % unit.size; rest != 0; rest = rest * 10 % unit.size) ++decimals;
    return decimals;
}

/// The largest unit, not above the largest value, in which all labels are exact with few decimals. Exact labels are all
/// different.
const TickUnit& unit_for(std::span<const TickUnit> units, std::uint64_t distance, double largest_value) {
    for (std::size_t i = units.size(); i-- > 1;) {
        const bool is_reached = static_cast<double>(units[i].size) <= largest_value;
        if (is_reached && decimals_needed(distance, units[i]) <= k_max_decimals) return units[i];
    }
    return units[0];
}

std::string exact_label(std::uint64_t value, const TickUnit& unit, int decimals) {
    if (value == 0) return "0";
    std::string label = format_count(value / unit.size);
    std::uint64_t rest = value % unit.size;
    if (decimals > 0) label += '.';
    for (int i = 0; i < decimals; ++i) {
        rest *= 10;
        label += static_cast<char>('0' + rest / unit.size);
        rest %= unit.size;
    }
    return label + ' ' + unit.name;
}

std::vector<AxisTick> unit_ticks(std::span<const TickUnit> units, double begin, double end, std::uint64_t distance) {
    const TickUnit& unit = unit_for(units, distance, end);
    const int decimals = decimals_needed(distance, unit);
    return make_ticks(begin, end, distance, [&](std::uint64_t value) { return exact_label(value, unit, decimals); });
}

std::uint64_t round_time(double min_us) {
    constexpr std::array<std::uint64_t, 10> k_clock_steps = {
        10 * k_second_us, 30 * k_second_us, k_minute_us, 2 * k_minute_us, 5 * k_minute_us,
        10 * k_minute_us, 30 * k_minute_us, k_hour_us,   2 * k_hour_us,   5 * k_hour_us};
    if (min_us <= 5.0 * k_second_us) return round_decimal(min_us);
    for (const std::uint64_t step : k_clock_steps) {
        if (static_cast<double>(step) >= min_us) return step;
    }
    return k_hour_us * round_decimal(min_us / static_cast<double>(k_hour_us));
}

/// Formats a duration in hours, minutes and seconds, without the units that are smaller than the distance between marks.
std::string clock_label(std::uint64_t value_us, std::uint64_t distance_us) {
    if (value_us == 0) return "0";
    const std::uint64_t minutes = value_us / k_minute_us;
    if (distance_us % k_minute_us != 0)
        return fmt::format("{} min {:02} s", format_count(minutes), value_us % k_minute_us / k_second_us);
    if (distance_us % k_hour_us == 0) return fmt::format("{} h", format_count(minutes / 60));
    return minutes < 60 ? fmt::format("{} min", minutes)
                        : fmt::format("{} h {:02} min", format_count(minutes / 60), minutes % 60);
}

/// Formats a time of day as "23:57:04.125", with as many decimals as the distance between marks needs.
std::string time_of_day(std::int64_t time_us, std::uint64_t distance_us) {
    constexpr std::size_t k_date_length = 11;  // length of "2026-11-20 "
    constexpr std::size_t k_whole_length = 8;  // length of "23:57:04"
    const std::string text = format_wall_clock_us(time_us);
    if (text.size() < k_date_length + k_whole_length) return text;
    if (distance_us % k_second_us == 0) return text.substr(k_date_length, k_whole_length);
    std::size_t decimals = 6;
    for (std::uint64_t rest = distance_us; rest % 10 == 0; rest /= 10) --decimals;
    return text.substr(k_date_length, k_whole_length + 1 + decimals);
}

}  // namespace

std::vector<AxisTick> memory_ticks(double begin, double end, double length_px, double spacing_px) {
    const double least = min_tick_distance(begin, end, length_px, spacing_px);
    if (least == 0) return {};
    std::uint64_t distance = 1;
    while (static_cast<double>(distance) < least) distance *= 2;
    return unit_ticks(k_memory_units, begin, end, distance);
}

std::vector<AxisTick> step_ticks(double begin, double end, double length_px, double spacing_px) {
    const double least = min_tick_distance(begin, end, length_px, spacing_px);
    if (least == 0) return {};
    return make_ticks(begin, end, round_decimal(least), [](std::uint64_t value) { return format_count(value); });
}

std::vector<AxisTick> time_ticks(double begin, double end, double length_px, double spacing_px) {
    const double least = min_tick_distance(begin, end, length_px, spacing_px);
    if (least == 0) return {};
    const std::uint64_t distance = round_time(least);
    if (distance < 10 * k_second_us || end < static_cast<double>(k_minute_us))
        return unit_ticks(k_time_units, begin, end, distance);
    return make_ticks(begin, end, distance, [&](std::uint64_t value) { return clock_label(value, distance); });
}

std::vector<AxisTick> clock_ticks(double begin, double end, std::int64_t start_us, double length_px, double spacing_px) {
    const double least = min_tick_distance(begin, end, length_px, spacing_px);
    if (least == 0 || start_us < 0) return {};
    const std::uint64_t distance = round_time(least);
    // Positions are counted from the last round time before the left edge; the distance between both is subtracted at the
    // end.
    const std::uint64_t lead = static_cast<std::uint64_t>(start_us) % distance;
    const std::uint64_t from = static_cast<std::uint64_t>(start_us) - lead;
    const auto lead_us = static_cast<double>(lead);
    std::vector<AxisTick> ticks = make_ticks(begin + lead_us, end + lead_us, distance, [&](std::uint64_t value) {
        return time_of_day(static_cast<std::int64_t>(from + value), distance);
    });
    for (AxisTick& tick : ticks) tick.value -= lead_us;
    std::erase_if(ticks, [](const AxisTick& tick) { return tick.value < 0; });
    return ticks;
}

}  // namespace snapviewer
