#include "core/load/profilers/ascend/curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/give_back.h"
#include "core/load/profilers/probe.h"

namespace snapviewer::ascend {
namespace {

void add_point(Series& series, std::int64_t time_ns, double value) {
    if (!series.values.empty() && series.values.back() == value) return;
    const std::int64_t time_us = us_of(time_ns);
    series.time_us.push_back(series.time_us.empty() ? time_us : std::max(series.time_us.back(), time_us));
    series.values.push_back(value);
}

struct Total {
    CurveRole role;
    const char* name;
    const char* id;
    std::int64_t TotalsRow::*field;
};
constexpr Total k_allocated{CurveRole::allocated, " Allocated", "_allocated", &TotalsRow::allocated};
constexpr Total k_active{CurveRole::active, " Active", "_active", &TotalsRow::active};
constexpr Total k_reserved{CurveRole::reserved, " Reserved", "_reserved", &TotalsRow::reserved};

/// The curve of one total of an allocator. Its id is the allocator's id followed by the total's id.
Series series_of(const std::string& name, const std::string& id, const std::vector<TotalsRow>& totals, const Total& total) {
    Series series{name + total.name, Unit::bytes, {}, {}, SeriesShape::line, total.role, id + total.id};
    const auto value_of = [&total](const TotalsRow& row) { return static_cast<double>(row.*total.field); };
    std::size_t points = totals.empty() ? 0 : 1;
    for (std::size_t i = 1; i < totals.size(); ++i) points += value_of(totals[i]) != value_of(totals[i - 1]) ? 1U : 0U;
    series.time_us.reserve(points);
    series.values.reserve(points);
    for (const TotalsRow& row : totals) add_point(series, row.time_ns, value_of(row));
    return series;
}

bool is_always_zero(const Series& series) {
    return std::ranges::all_of(series.values, [](double value) { return value == 0; });
}

/// Reads the memory reserved by the whole process.
Series read_process_memory(SqliteFile& file, std::int32_t device, ImportLog& log) {
    Series series{"App Reserved", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::process, "app_reserved"};
    if (!file.find_column("NPU_MEM", {"type"})) return series;
    TableRows rows(file, "NPU_MEM",
                   "SELECT timestampNs, coalesce(hbm, 0) + coalesce(ddr, 0) FROM NPU_MEM WHERE " +
                       of_device(file, "NPU_MEM", device) + " AND " + is_word(file, "type", "app") + " ORDER BY 1");
    while (rows.next()) add_point(series, rows->integer(0), rows->real(1));
    rows.note_end(log);
    return series;
}

/// Adds a curve. Shares storage with the other curves, which often change at the same times.
void add_to(std::vector<Series>& all, Series series) {
    for (const Series& before : all) {
        series.time_us.share(before.time_us);
        series.values.share(before.values);
    }
    all.push_back(std::move(series));
}

/// The time range that a set of curves and tracks covers.
struct CoveredTime {
    std::int64_t start_us = k_no_time;
    std::int64_t end_us = k_no_time;

    void hold(std::int64_t time_us) {
        start_us = start_us == k_no_time ? time_us : std::min(start_us, time_us);
        end_us = std::max(end_us, time_us);
    }
    void hold(const std::vector<Series>& all) {
        for (const Series& series : all) {
            if (series.time_us.empty()) continue;
            hold(series.time_us.front());
            hold(series.time_us.back());
        }
    }
};

}  // namespace

void find_edges(DeviceTrace& trace) {
    CoveredTime extent;
    // Excludes the process's curve, because the process is sampled during the whole session, long before and after the
    // operators run.
    const auto is_of_operators = [](const Series& series) { return series.role != CurveRole::process; };
    std::vector<Series> operators;
    for (const Series& series : trace.memory_series) {
        if (is_of_operators(series) && !series.time_us.empty())
            operators.push_back({"", Unit::bytes, {series.time_us.front(), series.time_us.back()}, {}});
    }
    extent.hold(operators);
    if (trace.events.size() == 0 && extent.start_us == k_no_time) {
        extent.hold(trace.memory_series);
        for (const Track& track : trace.tracks) {
            extent.hold(track.series);
            for (const Range& range : track.ranges) {
                extent.hold(range.start_us);
                extent.hold(range.end_us);
            }
        }
    }
    trace.start_us = extent.start_us;
    trace.end_us = extent.end_us;
}

std::vector<Series> memory_series(SqliteFile& file, std::int32_t device, DeviceRows& rows, ImportLog& log) {
    std::vector<Series> all;
    std::vector<TotalsRow>& together = rows.of(Component::pta_ge);
    const bool has_ge = !rows.of(Component::ge).empty();
    // Without GE, the totals of PTA are equal to those of PTA+GE.
    if (!together.empty() && !has_ge) give_back(rows.of(Component::pta));
    const std::vector<TotalsRow>& operators = together.empty() ? rows.of(Component::pta) : together;
    if (!operators.empty()) {
        for (const Total& total : {k_allocated, k_active, k_reserved})
            add_to(all, series_of("Operators", "operators", operators, total));
    }
    give_back(together);
    Series process = read_process_memory(file, device, log);
    if (!process.values.empty()) add_to(all, std::move(process));
    for (const Component component : {Component::pta, Component::ge}) {
        const std::vector<TotalsRow> totals = std::move(rows.of(component));
        // Without GE, the totals of PTA are already shown as those of the operators.
        if (totals.empty() || (component == Component::pta && !has_ge)) continue;
        const std::string name = component_name(component);
        const std::string id = component == Component::pta ? "pta" : "ge";
        add_to(all, series_of(name, id, totals, k_allocated));
        Series active = series_of(name, id, totals, k_active);
        if (!is_always_zero(active)) add_to(all, std::move(active));
        add_to(all, series_of(name, id, totals, k_reserved));
    }
    return all;
}

std::vector<Series> workspace_series(const std::vector<TotalsRow>& totals) {
    if (totals.empty()) return {};
    return {series_of("Workspace", "workspace", totals, k_allocated),
            series_of("Workspace", "workspace", totals, k_reserved)};
}

}  // namespace snapviewer::ascend
