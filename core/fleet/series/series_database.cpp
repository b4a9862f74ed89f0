#include "core/fleet/series/series_database.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/export/database_file.h"
#include "core/query/database.h"

namespace snapviewer {
namespace {

Cell whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }
Cell whole(const std::optional<std::uint64_t>& value) { return value ? whole(*value) : Cell(); }
Cell whole(const std::optional<std::int64_t>& value) { return value ? Cell(*value) : Cell(); }
Cell real(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }
Cell words(const std::string& value) { return value.empty() ? Cell() : Cell(value); }
Cell moment(std::int64_t time_us) { return time_us == k_no_time ? Cell() : Cell(time_us); }

/// Fills the tables of one database.
class SeriesWriter {
public:
    void write(const std::string& path, const SampleSeries& series, const SeriesFindings& findings) {
        begin(path);
        for (const SeriesLine& line : series.lines) {
            for (const SeriesSample& sample : line.samples) add(line, sample);
        }
        for (const SeriesGrowth& each : findings.growing) add(each);
        for (const SeriesGap& gap : findings.gaps) put(gaps, {gap.rank, gap.from_us, gap.to_us, gap.usual_us});
        for (const SeriesDump& dump : series.dumps) add(dump);
        for (const SeriesFailure& failure : series.failed) put(failed, {failure.file, failure.error});
        fillers_.clear();
        check_stop();
        file_.commit();
        file_.close();
    }

private:
    /// the tables, in the order of k_series_tables
    enum Table : std::size_t { samples, pools, sizes, growth, gaps, dumps, failed };

    void begin(const std::string& path) {
        file_.begin(path);
        for (const FleetTable& table : k_series_tables) {
            file_.execute(fmt::format("CREATE TABLE {} ({})", table.name, table.columns));
            fillers_.emplace_back(file_, table.name, column_names(table).size());
        }
    }

    void put(Table table, const std::vector<Cell>& cells) { fillers_[table].row(cells); }

    void add(const SeriesLine& line, const SeriesSample& sample) {
        ++number_;
        put(samples, {number_,
                      line.rank,
                      line.device,
                      words(line.host),
                      whole(sample.pid),
                      sample.file,
                      whole(sample.file_bytes),
                      whole(sample.number),
                      moment(sample.time_us),
                      sample_time_name(sample.time_from),
                      whole(sample.step),
                      whole(sample.segments),
                      whole(sample.expandable_segments),
                      whole(sample.blocks),
                      whole(sample.reserved_bytes),
                      whole(sample.expandable_bytes),
                      whole(sample.allocated_bytes),
                      whole(sample.active_bytes),
                      whole(sample.requested_bytes),
                      whole(sample.device_total_bytes),
                      whole(sample.device_used_bytes),
                      whole(sample.other_processes_bytes)});
        for (const SamplePool& use : sample.pools) {
            const bool is_shared = use.pool == k_other_pools;
            put(pools,
                {number_, pool_name(use.pool), is_shared ? Cell() : Cell(use.pool.owner),
                 is_shared ? Cell() : Cell(use.pool.id), is_shared ? Cell() : Cell(use.pool.is_small ? "small" : "large"),
                 whole(use.segments), whole(use.reserved_bytes), whole(use.allocated_bytes), whole(use.active_bytes),
                 whole(use.reserved_bytes - std::min(use.active_bytes, use.reserved_bytes)),
                 whole(use.largest_inactive_bytes)});
        }
        for (const SizeUse& size : sample.sizes)
            put(sizes, {number_, pool_name(sample.pools[size.pool].pool), whole(std::uint64_t{1} << size.exponent),
                        whole(size.blocks), whole(size.bytes)});
    }

    void add(const SeriesGrowth& each) {
        const bool is_of_sizes = each.kind == GrowingKind::size_class;
        put(growth, {each.rank, each.device, growing_kind_name(each.kind),
                     is_of_sizes || each.kind == GrowingKind::pool ? Cell(pool_name(each.pool)) : Cell(),
                     is_of_sizes ? whole(std::uint64_t{1} << each.exponent) : Cell(), real(each.bytes_per_hour),
                     real(each.bytes_per_step), each.bytes_per_sample, whole(each.from_bytes), whole(each.to_bytes),
                     whole(each.full_time_us)});
    }

    void add(const SeriesDump& dump) {
        put(dumps,
            {dump.rank, dump.device, words(dump.host), dump.why, moment(dump.time_us), sample_time_name(dump.time_from),
             whole(dump.step), dump.file, whole(dump.file_bytes), whole(dump.allocated_bytes), whole(dump.reserved_bytes)});
    }

    DatabaseFile file_;
    std::vector<TableFiller> fillers_;  ///< one filler per table, parallel to k_series_tables
    std::int64_t number_ = 0;           ///< number of the sample added last
};

}  // namespace

Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress) {
    return caught(&progress, [&] {
        OutputFile output = value_or_throw(OutputFile::create(path));
        SeriesWriter().write(output.temporary_path(), series, findings);
        need_ok(output.put_in_place());
    });
}

}  // namespace snapviewer
