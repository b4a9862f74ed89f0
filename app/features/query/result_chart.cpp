#include "app/features/query/result_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "app/ui/result_grid.h"
#include "app/ui/texts.h"
#include "core/base/text.h"

namespace snapviewer::query {
namespace {

/// Maximum number of different x values that are drawn as bars.
constexpr std::size_t k_max_number_bars = 24;
/// Non-integers below this value are formatted with decimals.
constexpr double k_max_with_decimals = 1e6;

struct ChartColumns {
    std::size_t x = 0;
    std::size_t y = 1;
    std::optional<std::size_t> series;
};

std::optional<double> number_of_cell(const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
    const auto* real = std::get_if<double>(&cell);
    return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

/// True if the column has only numbers and NULL, and at least one number.
bool is_number_column(const QueryResult& result, std::size_t column) {
    bool has_number = false;
    for (std::size_t row = 0; row < result.row_count(); ++row) {
        const Cell& cell = result.cell(row, column);
        if (std::holds_alternative<std::string>(cell)) return false;
        has_number = has_number || number_of_cell(cell).has_value();
    }
    return has_number;
}

bool is_step_column(const std::string& name, const ColumnOrigin& origin) {
    if (origin.table == "allocs" && (origin.column == "start_time" || origin.column == "end_time")) return true;
    const std::string& word = origin.table.empty() ? name : origin.column;
    return word == "step" || word.ends_with("_step") || name == "step";
}

Quantity quantity_of(const QueryResult& result, std::size_t column) {
    const std::string& name = result.columns[column];
    const ColumnOrigin origin = column < result.origins.size() ? result.origins[column] : ColumnOrigin{};
    if (is_step_column(name, origin)) return Quantity::steps;
    if (name.ends_with("_us")) return Quantity::microseconds;
    // An aggregate such as "sum(size)" has the quantity of its argument.
    const std::size_t open = name.find('(');
    const std::string inside =
        open != std::string::npos && name.ends_with(')') ? name.substr(open + 1, name.size() - open - 2) : name;
    const bool is_count = name.starts_with("count(") || name.starts_with("COUNT(");
    return !is_count && (is_size_column(inside) || is_size_column(origin.column)) ? Quantity::bytes : Quantity::number;
}

/// Assigns columns to x, y and series. If no assignment fits, returns nullopt and sets `why_not`.
std::optional<ChartColumns> choose_columns(const QueryResult& result, std::string& why_not) {
    const std::size_t count = result.columns.size();
    if (count != 2 && count != 3) {
        why_not = fmt::format("A chart needs two or three columns (x, y, series); this result has {}", count);
        return std::nullopt;
    }
    if (result.row_count() == 0) {
        why_not = "There are no rows";
        return std::nullopt;
    }
    if (is_number_column(result, 1)) return ChartColumns{0, 1, count == 3 ? std::optional<std::size_t>(2) : std::nullopt};
    if (count == 3 && is_number_column(result, 2)) return ChartColumns{0, 2, 1};
    why_not = fmt::format("The column {} does not hold numbers", result.columns[1]);
    return std::nullopt;
}

/// Collects the points of each series.
class ChartMaker {
public:
    ChartMaker(const QueryResult& result, const ChartColumns& columns, ResultChart& chart)
        : result_(result), columns_(columns), chart_(chart) {}

    void run() {
        chart_.x_name = result_.columns[columns_.x];
        chart_.y_name = result_.columns[columns_.y];
        chart_.x_counts = quantity_of(result_, columns_.x);
        chart_.y_counts = quantity_of(result_, columns_.y);
        const bool is_text = !is_number_column(result_, columns_.x);
        chart_.has_bars = is_text;
        for (std::size_t row = 0; row < result_.row_count() && chart_.why_not.empty(); ++row) add(row, is_text);
        if (!chart_.why_not.empty()) return;
        if (chart_.points == 0) {
            chart_.why_not = "No row has a number in both columns";
            return;
        }
        for (ChartSeries& series : chart_.series) std::ranges::stable_sort(series.points, {}, &ChartPoint::x);
        if (!is_text && (chart_.x_counts == Quantity::number || chart_.x_counts == Quantity::bytes)) make_number_bars();
        if (is_text && columns_.series && has_two_at_one_place())
            chart_.why_not =
                fmt::format("Some rows have the same {} and {}", chart_.x_name, result_.columns[*columns_.series]);
        measure();
    }

private:
    void add(std::size_t row, bool is_text) {
        const std::optional<double> y = number_of_cell(result_.cell(row, columns_.y));
        const Cell& x_cell = result_.cell(row, columns_.x);
        const std::optional<double> x = is_text ? std::optional(place_of(x_cell)) : number_of_cell(x_cell);
        if (!x || !y) {
            ++chart_.rows_without;
            return;
        }
        ChartSeries* series = series_of(row);
        if (series == nullptr) return;
        series->points.push_back({*x, *y});
        ++chart_.points;
    }

    /// Returns the index of a bar. Without series, each row gets its own bar; with series, rows with the same name share a
    /// place.
    double place_of(const Cell& cell) {
        std::string name = cell_line(cell, 120);
        if (columns_.series) {
            const auto [known, is_new] = places_.try_emplace(name, chart_.bars.size());
            if (!is_new) return static_cast<double>(known->second);
        }
        chart_.bars.push_back(std::move(name));
        return static_cast<double>(chart_.bars.size() - 1);
    }

    ChartSeries* series_of(std::size_t row) {
        if (!columns_.series) {
            if (chart_.series.empty()) chart_.series.push_back({chart_.y_name, {}});
            return &chart_.series.front();
        }
        const Cell& cell = result_.cell(row, *columns_.series);
        const std::string& column = result_.columns[*columns_.series];
        std::string name = std::holds_alternative<std::string>(cell) ? cell_line(cell, 120) : column + " " + cell_text(cell);
        const auto known = std::ranges::find(chart_.series, name, &ChartSeries::name);
        if (known != chart_.series.end()) return &*known;
        if (chart_.series.size() == k_max_chart_series) {
            chart_.why_not = fmt::format("The column {} has more than {} different series", column, k_max_chart_series);
            return nullptr;
        }
        chart_.series.push_back({std::move(name), {}});
        return &chart_.series.back();
    }

    bool has_two_at_one_place() const {
        return std::ranges::any_of(chart_.series, [](const ChartSeries& series) {
            return std::ranges::adjacent_find(series.points, {}, &ChartPoint::x) != series.points.end();
        });
    }

    /// Switches to bars, in ascending order of x, if x takes few different values.
    void make_number_bars() {
        std::map<double, double> places;
        for (const ChartSeries& series : chart_.series) {
            for (const ChartPoint& point : series.points) {
                places.emplace(point.x, 0);
                if (places.size() > k_max_number_bars) return;
            }
        }
        if (has_two_at_one_place()) return;
        chart_.has_bars = true;
        for (auto& [x, place] : places) {
            place = static_cast<double>(chart_.bars.size());
            chart_.bars.push_back(quantity_text(chart_.x_counts, x));
        }
        for (ChartSeries& series : chart_.series) {
            for (ChartPoint& point : series.points) point.x = places[point.x];
        }
    }

    void measure() {
        constexpr double k_far = std::numeric_limits<double>::infinity();
        chart_.x_low = chart_.y_low = k_far;
        chart_.x_high = chart_.y_high = -k_far;
        for (const ChartSeries& series : chart_.series) {
            for (const ChartPoint& point : series.points) {
                chart_.x_low = std::min(chart_.x_low, point.x);
                chart_.x_high = std::max(chart_.x_high, point.x);
                chart_.y_low = std::min(chart_.y_low, point.y);
                chart_.y_high = std::max(chart_.y_high, point.y);
            }
        }
    }

    const QueryResult& result_;
    const ChartColumns& columns_;
    ResultChart& chart_;
    std::unordered_map<std::string, std::size_t> places_;
};

std::string plain_number_text(double value) {
    const bool is_whole = value == std::floor(value);
    if (!is_whole && std::abs(value) < k_max_with_decimals) return fmt::format("{:.4g}", value);
    return value_text(Unit::count, value);
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is at least `least`.
double round_distance(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= least) return digit * power;
    }
    return 10 * power;
}

}  // namespace

ResultChart make_chart(const QueryResult& result) {
    ResultChart chart;
    const std::optional<ChartColumns> columns = choose_columns(result, chart.why_not);
    if (!columns) return chart;
    ChartMaker(result, *columns, chart).run();
    return chart;
}

std::string why_no_track(const ResultChart& chart) {
    if (!chart.why_not.empty()) return chart.why_not;
    if (chart.x_counts == Quantity::steps && !chart.has_bars) return "";
    return fmt::format("A track needs steps as its first column (step, alloc_step or AS step); {} is not one", chart.x_name);
}

Unit track_unit(const ResultChart& chart) { return chart.y_counts == Quantity::bytes ? Unit::bytes : Unit::count; }

std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points, double x_begin, double x_end, std::size_t columns) {
    if (points.size() <= 4 * columns || !(x_end > x_begin)) return points;
    const double per_x = static_cast<double>(columns) / (x_end - x_begin);
    const auto column_of = [&](const ChartPoint& point) { return std::floor((point.x - x_begin) * per_x); };
    std::vector<ChartPoint> kept;
    for (std::size_t begin = 0; begin < points.size();) {
        std::size_t end = begin + 1;
        std::size_t low = begin;
        std::size_t high = begin;
        for (; end < points.size() && column_of(points[end]) == column_of(points[begin]); ++end) {
            if (points[end].y < points[low].y) low = end;
            if (points[end].y > points[high].y) high = end;
        }
        const auto [nearer, farther] = std::minmax(low, high);
        std::size_t last = begin;
        kept.push_back(points[begin]);
        for (const std::size_t next : {nearer, farther, end - 1}) {
            if (next > last) kept.push_back(points[last = next]);
        }
        begin = end;
    }
    return kept;
}

std::span<const ChartPoint> nearest_points(const std::vector<ChartPoint>& points, double x) {
    if (points.empty()) return {};
    auto at = std::ranges::lower_bound(points, x, {}, &ChartPoint::x);
    if (at == points.end() || (at != points.begin() && x - std::prev(at)->x <= at->x - x)) --at;
    return std::ranges::equal_range(points, at->x, {}, &ChartPoint::x);
}

std::string quantity_text(Quantity quantity, double value) {
    switch (quantity) {
        case Quantity::bytes: return value_text(Unit::bytes, value);
        case Quantity::steps: return "step " + plain_number_text(value);
        case Quantity::microseconds: return value_text(Unit::milliseconds, value / 1000);
        case Quantity::number: return plain_number_text(value);
    }
    return {};
}

std::vector<AxisTick> quantity_ticks(Quantity quantity, double begin, double end, double length_px, double spacing_px) {
    if (begin >= 0 && quantity == Quantity::bytes) return memory_ticks(begin, end, length_px, spacing_px);
    if (begin >= 0 && quantity == Quantity::steps) return step_ticks(begin, end, length_px, spacing_px);
    if (begin >= 0 && quantity == Quantity::microseconds) return time_ticks(begin, end, length_px, spacing_px);
    std::vector<AxisTick> ticks;
    if (!(end > begin) || !(length_px > 0)) return ticks;
    double distance = round_distance((end - begin) * spacing_px / length_px);
    if (quantity == Quantity::bytes) distance = std::exp2(std::ceil(std::log2(distance)));
    for (double place = std::ceil(begin / distance); place * distance <= end; ++place) {
        const double value = place * distance;
        ticks.push_back({value, value == 0 ? "0" : quantity_text(quantity, value)});
    }
    return ticks;
}

namespace {

/// Sets the visible y range. It includes 0, unless that would squeeze the values into the top fifth.
void fit_heights(const ResultChart& chart, View& view) {
    constexpr double k_room = 0.06;
    const bool may_leave_zero = !chart.has_bars && (chart.y_low > 0.8 * chart.y_high || chart.y_high < 0.8 * chart.y_low);
    double low = may_leave_zero ? chart.y_low : std::min(0.0, chart.y_low);
    double high = may_leave_zero ? chart.y_high : std::max(0.0, chart.y_high);
    if (high <= low) high = low + std::max(1.0, std::abs(low) * 0.1);
    view.y_end = high > 0 || may_leave_zero ? high + k_room * (high - low) : high;
    view.y_begin = low < 0 || may_leave_zero ? low - k_room * (high - low) : low;
    if (chart.y_low >= 0) view.y_begin = std::max(view.y_begin, 0.0);
}

}  // namespace

View chart_view(const ResultChart& chart) {
    View view;
    if (chart.has_bars) {
        view.x_begin = 0;
        view.x_end = static_cast<double>(chart.bars.size());
    } else {
        view.x_begin = chart.x_low;
        view.x_end = chart.x_high > chart.x_low ? chart.x_high : chart.x_low + 1;
    }
    fit_heights(chart, view);
    return view;
}

namespace {

/// Formats several points at one position as "3 values, 1 KiB to 4 KiB".
std::string values_text(const ResultChart& chart, std::span<const ChartPoint> points) {
    const auto [low, high] = std::ranges::minmax(points, {}, &ChartPoint::y);
    const std::string text = quantity_text(chart.y_counts, low.y);
    if (points.size() == 1) return text;
    return fmt::format("{} values, {} to {}", format_count(points.size()), text, quantity_text(chart.y_counts, high.y));
}

double nearest_x(const ResultChart& chart, double x) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const ChartSeries& series : chart.series) {
        if (series.points.empty()) continue;
        const double near = nearest_points(series.points, x).front().x;
        if (std::abs(near - x) < std::abs(nearest - x)) nearest = near;
    }
    return nearest;
}

const std::string& bar_name(const ResultChart& chart, double x) {
    return chart.bars[static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(chart.bars.size() - 1)))];
}

}  // namespace

ChartReading read_chart(const ResultChart& chart, double x) {
    ChartReading reading;
    reading.x = chart.has_bars ? std::floor(x) : nearest_x(chart, x);
    reading.place = chart.has_bars ? bar_name(chart, reading.x) : quantity_text(chart.x_counts, reading.x);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const ChartSeries& series = chart.series[i];
        if (series.points.empty()) continue;
        const std::span<const ChartPoint> points = nearest_points(series.points, reading.x);
        if (points.front().x != reading.x) continue;
        const std::string& name = chart.series.size() > 1 ? series.name : chart.y_name;
        reading.values.emplace_back(i, name + "  " + values_text(chart, points));
    }
    return reading;
}

}  // namespace snapviewer::query
