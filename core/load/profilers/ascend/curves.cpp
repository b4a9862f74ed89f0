#include "core/load/profilers/ascend/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "core/base/memory.h"
#include "core/base/text.h"

namespace snapviewer::profilers::ascend {
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
Series read_process_memory(sqlite::SqliteFile& file, std::int32_t device, ImportLog& log) {
    Series series{"App Reserved", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::process, "app_reserved"};
    if (!file.find_column("NPU_MEM", {"type"})) return series;
    const std::string sql = "SELECT timestampNs, coalesce(hbm, 0) + coalesce(ddr, 0) FROM NPU_MEM WHERE " +
                            of_device(file, "NPU_MEM", device) + " AND " + is_type(file, "app") + " ORDER BY 1";
    each_row(file, "NPU_MEM", sql, log,
             [&](const sqlite::SqliteRows& row) { add_point(series, row.integer(0), row.real(1)); });
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

}  // namespace

void add_curves(DeviceTrace& trace, std::vector<Series> memory, std::vector<Track> tracks) {
    trace.memory_series = std::move(memory);
    trace.tracks = std::move(tracks);
    trace.presentation.prefers_time = true;
    const auto hold = [&trace](std::int64_t time_us) {
        trace.start_us = trace.start_us == k_no_time ? time_us : std::min(trace.start_us, time_us);
        trace.end_us = std::max(trace.end_us, time_us);
    };
    const auto hold_series = [&hold](const Series& series) {
        if (series.time_us.empty()) return;
        hold(series.time_us.front());
        hold(series.time_us.back());
    };
    // Excludes the process's curve, because the process is sampled during the whole session, long before and after the
    // operators run.
    for (const Series& series : trace.memory_series) {
        if (series.role != CurveRole::process) hold_series(series);
    }
    if (trace.events.size() > 0 || trace.start_us != k_no_time) return;
    std::ranges::for_each(trace.memory_series, hold_series);
    for (const Track& track : trace.tracks) {
        std::ranges::for_each(track.series, hold_series);
        for (const Range& range : track.ranges) {
            hold(range.start_us);
            hold(range.end_us);
        }
    }
}

std::vector<Series> memory_series(sqlite::SqliteFile& file, std::int32_t device, DeviceRows& rows, ImportLog& log) {
    std::vector<Series> all;
    std::vector<TotalsRow>& together = rows.of(Component::pta_ge);
    const bool has_ge = !rows.of(Component::ge).empty();
    // If the profile has no totals of GE, the totals of PTA are equal to those of PTA+GE.
    if (!together.empty() && !has_ge) free_memory(rows.of(Component::pta));
    const std::vector<TotalsRow>& operators = together.empty() ? rows.of(Component::pta) : together;
    if (!operators.empty()) {
        for (const Total& total : {k_allocated, k_active, k_reserved})
            add_to(all, series_of("Operators", "operators", operators, total));
    }
    free_memory(together);
    Series process = read_process_memory(file, device, log);
    if (!process.values.empty()) add_to(all, std::move(process));
    for (const Component component : {Component::pta, Component::ge}) {
        const std::vector<TotalsRow> totals = std::move(rows.of(component));
        // If the profile has no totals of GE, those of PTA are already shown as the totals of the operators.
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

// Reads everything that a profile measured besides memory.

namespace {

using Shape = SeriesShape;

struct CounterColumn {
    const char* column;
    const char* name;
    Shape shape = Shape::line;
};

/// A table of counters. Each port becomes a track and each column a series.
struct CounterTable {
    const char* table;
    const char* track;
    const char* port;  ///< Column that distinguishes ports, or nullptr.
    const char* port_name;
    Unit unit;
    std::span<const CounterColumn> columns;
};

constexpr std::array k_network_columns = {CounterColumn{"rxByteRate", "received", Shape::area},
                                          CounterColumn{"txByteRate", "sent", Shape::mirrored}};
constexpr std::array k_hccs_columns = {CounterColumn{"rxThroughput", "received", Shape::area},
                                       CounterColumn{"txThroughput", "sent", Shape::mirrored}};
constexpr std::array k_pcie_columns = {CounterColumn{"txPostMin", "sent, lowest", Shape::ribbon_low},
                                       CounterColumn{"txPostMax", "sent, highest", Shape::ribbon_high},
                                       CounterColumn{"txPostAvg", "sent"},
                                       CounterColumn{"rxPostMin", "received, lowest", Shape::ribbon_low},
                                       CounterColumn{"rxPostMax", "received, highest", Shape::ribbon_high},
                                       CounterColumn{"rxPostAvg", "received"}};
constexpr std::array k_frequency_columns = {CounterColumn{"freq", "clock"}};

constexpr std::array k_counters = {
    CounterTable{"ROCE", "ROCE", "funcId", "port", Unit::bytes_per_second, k_network_columns},
    CounterTable{"NIC", "NIC", "funcId", "port", Unit::bytes_per_second, k_network_columns},
    CounterTable{"HCCS", "HCCS", nullptr, nullptr, Unit::bytes_per_second, k_hccs_columns},
    CounterTable{"PCIE", "PCIE", nullptr, nullptr, Unit::bytes_per_second, k_pcie_columns},
    CounterTable{"AICORE_FREQ", "AI core", "dieId", "die", Unit::megahertz, k_frequency_columns},
};

constexpr std::size_t k_max_ports = 32;

std::string value_text(double value, Unit unit) {
    switch (unit) {
        case Unit::bytes_per_second:
            return value < 0 ? fmt::format("{} B/s", value)
                             : format_bytes(static_cast<std::uint64_t>(std::min(value, 1e18))) + "/s";
        case Unit::megahertz: return fmt::format("{} MHz", value);
        default: return fmt::format("{}", value);
    }
}

/// If no series of a track changes its value, replaces them by a note with the values.
void collapse_constants(Track& track) {
    std::size_t value_count = 0;
    for (const Series& series : track.series) value_count += series.values.size();
    const auto is_constant = [](const Series& series) {
        return std::ranges::all_of(series.values, [&](double value) { return value == series.values.front(); });
    };
    if (track.series.empty() || !std::ranges::all_of(track.series, is_constant)) return;
    const double value = track.series.front().values.front();
    const Unit unit = track.series.front().unit;
    const bool is_one_value =
        std::ranges::all_of(track.series, [&](const Series& series) { return series.values.front() == value; });
    if (is_one_value) {
        track.note = fmt::format("all {} values are {}", format_count(value_count), value_text(value, unit));
    } else {
        for (const Series& series : track.series) {
            track.note += fmt::format("{}{} always {}", track.note.empty() ? "" : ", ", series.name,
                                      value_text(series.values.front(), unit));
        }
    }
    track.series.clear();
}

class TrackReader {
public:
    TrackReader(sqlite::SqliteFile& file, std::int32_t device, ImportLog& log) : file_(file), device_(device), log_(log) {}

    std::vector<Track> run() {
        add(read_steps());
        add(read_ranges("GC_RECORD", "Python GC", "collecting"));
        add_modules();
        for (const CounterTable& counters : k_counters) {
            for (Track& track : read_counters(counters)) add(std::move(track));
        }
        add(read_memory_bandwidth());
        return std::move(tracks_);
    }

private:
    void add(Track track) {
        collapse_constants(track);
        if (!track.series.empty() || !track.ranges.empty() || !track.note.empty()) tracks_.push_back(std::move(track));
    }

    /// Adds the memory that each module of the runtime had reserved, largest first. Omits modules that never had any.
    /// Constant series are drawn too, because their share of the sum matters.
    void add_modules() {
        if (!file_.find_column("NPU_MODULE_MEM", {"totalReserved"})) return;
        std::map<std::int64_t, Series> modules;
        const std::string sql = "SELECT moduleId, timestampNs, totalReserved FROM NPU_MODULE_MEM WHERE " +
                                of_device(file_, "NPU_MODULE_MEM", device_) + " ORDER BY timestampNs";
        each_row(file_, "NPU_MODULE_MEM", sql, log_, [&](const sqlite::SqliteRows& row) {
            Series& series = modules[row.integer(0)];
            series.time_us.push_back(us_of(row.integer(1)));
            series.values.push_back(row.real(2));
        });
        Track track{"Modules", {}, {}, {}};
        for (auto& [id, series] : modules) {
            if (std::ranges::max(series.values) <= 0) continue;
            series.name = module_name(id);
            series.shape = Shape::stacked;
            track.series.push_back(std::move(series));
        }
        const auto highest = [](const Series& series) { return std::ranges::max(series.values); };
        std::ranges::stable_sort(track.series, std::greater{}, highest);
        if (!track.series.empty()) tracks_.push_back(std::move(track));
    }

    std::string module_name(std::int64_t id) {
        if (file_.find_table("ENUM_MODULE")) {
            if (const auto row = first_row(file_, "SELECT name FROM ENUM_MODULE WHERE id = ?1", id))
                return std::string(row->text(0));
        }
        return fmt::format("module {}", id);
    }

    Track read_steps() {
        Track track{"Steps", {}, {}, {}, true};
        const std::string sql = select_columns(file_, "STEP_TIME", {"id", "startNs", "endNs"});
        each_row(file_, "STEP_TIME", sql, log_, [&](const sqlite::SqliteRows& row) {
            add_range(track, fmt::format("Step {}", row.text(0)), whole_number(row, 1), whole_number(row, 2));
        });
        if (track.ranges.empty()) read_annotated_steps(track);
        std::ranges::stable_sort(track.ranges, {}, &Range::start_us);
        return track;
    }

    /// Reads the steps from the profiler's own annotations, for files without rows in the table of steps.
    void read_annotated_steps(Track& track) {
        if (!file_.find_table("STRING_IDS")) return;
        const std::string names = "(SELECT id FROM STRING_IDS WHERE value LIKE 'ProfilerStep#%')";
        if (!first_row(file_, "SELECT 1 FROM " + names)) return;
        if (select_columns(file_, "PYTORCH_API", {"name", "startNs", "endNs"}).empty()) return;
        const std::string sql =
            "SELECT s.value, p.startNs, p.endNs FROM PYTORCH_API p JOIN STRING_IDS s ON s.id = p.name WHERE p.name IN " +
            names + " AND s.value LIKE 'ProfilerStep#%'";
        each_row(file_, "PYTORCH_API", sql, log_, [&](const sqlite::SqliteRows& row) {
            const std::string name(row.text(0));
            add_range(track, "Step " + name.substr(name.find('#') + 1), whole_number(row, 1), whole_number(row, 2));
        });
    }

    void add_range(Track& track, std::string name, std::optional<std::int64_t> start_ns,
                   std::optional<std::int64_t> end_ns) {
        if (!start_ns || !end_ns || *end_ns <= *start_ns) {
            log_.add("range_without_length");
            return;
        }
        track.ranges.push_back({std::move(name), us_of(*start_ns), us_of(*end_ns)});
    }

    Track read_ranges(const char* table, const char* name, const char* range_name) {
        Track track{name, {}, {}, {}};
        each_row(file_, table, select_columns(file_, table, {"startNs", "endNs"}), log_, [&](const sqlite::SqliteRows& row) {
            add_range(track, range_name, whole_number(row, 0), whole_number(row, 1));
        });
        std::ranges::stable_sort(track.ranges, {}, &Range::start_us);
        return track;
    }

    /// Creates one track per port, because filled curves of several ports would hide each other.
    std::vector<Track> read_counters(const CounterTable& counters) {
        const std::string_view table = counters.table;
        if (!file_.find_column(table, {"timestampNs"})) return {};
        std::string columns;
        for (const CounterColumn& column : counters.columns) columns += ", " + Wanted(column.column).sql(file_, table);
        const bool has_ports = counters.port != nullptr && file_.find_column(table, {counters.port}).has_value();
        const std::string sql =
            fmt::format("SELECT timestampNs, {}{} FROM {} WHERE {} ORDER BY timestampNs", has_ports ? counters.port : "0",
                        columns, table, of_device(file_, table, device_));
        std::map<std::int64_t, std::vector<Series>> ports;
        each_row(file_, table, sql, log_, [&](const sqlite::SqliteRows& row) {
            if (!ports.contains(row.integer(1)) && ports.size() == k_max_ports) {
                log_.add("too_many_ports");
                return;
            }
            std::vector<Series>& all = ports[row.integer(1)];
            all.resize(counters.columns.size());
            for (std::size_t i = 0; i < counters.columns.size(); ++i) {
                const int column = static_cast<int>(i) + 2;
                if (row.type(column) == sqlite::ValueType::null) continue;
                all[i].time_us.push_back(us_of(row.integer(0)));
                all[i].values.push_back(row.real(column));
            }
        });
        std::vector<Track> tracks;
        for (auto& [port, all] : ports) {
            Track& track = tracks.emplace_back();
            track.name =
                ports.size() == 1 ? counters.track : fmt::format("{} {} {}", counters.track, counters.port_name, port);
            for (std::size_t i = 0; i < counters.columns.size(); ++i) {
                if (all[i].values.empty()) continue;
                all[i].name = counters.columns[i].name;
                all[i].unit = counters.unit;
                all[i].shape = counters.columns[i].shape;
                track.series.push_back(std::move(all[i]));
            }
        }
        return tracks;
    }

    /// Reads the bandwidth of a device's memory, summed over its banks.
    Track read_memory_bandwidth() {
        Track track{"HBM", {}, {}, {}};
        if (!file_.find_column("HBM", {"bandwidth"}) || !file_.find_column("HBM", {"type"})) return track;
        for (const char* direction : {"read", "write"}) {
            const std::string sql = fmt::format(
                "SELECT timestampNs, sum(bandwidth) FROM HBM WHERE {} AND {} GROUP BY timestampNs ORDER BY timestampNs",
                of_device(file_, "HBM", device_), is_type(file_, direction));
            Series series{direction, Unit::bytes_per_second, {}, {}};
            each_row(file_, "HBM", sql, log_, [&](const sqlite::SqliteRows& row) {
                series.time_us.push_back(us_of(row.integer(0)));
                series.values.push_back(row.real(1));
            });
            if (!series.values.empty()) track.series.push_back(std::move(series));
        }
        return track;
    }

    sqlite::SqliteFile& file_;
    std::int32_t device_;
    ImportLog& log_;
    std::vector<Track> tracks_;
};

}  // namespace

std::vector<Track> read_tracks(sqlite::SqliteFile& file, std::int32_t device, ImportLog& log) {
    return TrackReader(file, device, log).run();
}

}  // namespace snapviewer::profilers::ascend
