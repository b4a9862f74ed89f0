#include "core/fleet/fleet_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/number_text.h"
#include "core/base/output_file.h"
#include "core/export/database_file.h"
#include "core/load/load.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// The first bytes of a SQLite file, and the offset of the field by which applications identify their files: PRAGMA
/// application_id.
constexpr std::string_view k_sqlite = "SQLite format 3";
constexpr std::size_t k_id_offset = 68;
constexpr std::string_view k_id = "snvf";
constexpr const char* k_set_id = "PRAGMA application_id = 0x736e7666";

Cell size_of(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

/// The columns that identify the rank of a row.
struct RankPlace {
    explicit RankPlace(const RankRow& row) : run(row.run), rank(row.rank), device(row.device ? Cell(*row.device) : Cell()) {}
    Cell run, rank, device;
};

/// Reads the rows of a table. Columns are numbered in the order of the table's definition.
class KeptRows {
public:
    explicit KeptRows(SqliteFile& file, const FleetTable& table, const char* condition = "true")
        : rows_(value_or_throw(file.query(
              fmt::format("SELECT {} FROM {} WHERE {} ORDER BY rowid", joined_names(table), table.name, condition)))) {}

    /// Binds the parameter ?1, ?2, ... of the condition.
    template <typename Value>
    void bind(int parameter, const Value& value) {
        rows_.bind(parameter, value);
    }
    bool next() { return rows_.next(); }
    const Status& status() const { return rows_.status(); }
    std::string text(int column) const { return std::string(rows_.text(column)); }
    std::int64_t integer(int column) const { return rows_.integer(column); }
    double real(int column) const { return rows_.real(column); }
    std::optional<std::int64_t> known_integer(int column) const {
        return rows_.type(column) == ValueType::null ? std::nullopt : std::optional(rows_.integer(column));
    }
    std::uint64_t size(int column) const {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(rows_.integer(column), 0));
    }
    std::optional<std::uint64_t> known_size(int column) const {
        return rows_.type(column) == ValueType::null ? std::nullopt : std::optional(size(column));
    }
    std::uint64_t key(int column) const {
        std::uint64_t key = 0;
        read_number(rows_.text(column), key, 16);
        return key;
    }

private:
    static std::string joined_names(const FleetTable& table) {
        std::string names;
        for (const std::string& name : column_names(table)) names += (names.empty() ? "" : ", ") + name;
        return names;
    }

    SqliteRows rows_;
};

HighestTotal total_in(const KeptRows& rows) {
    return {rows.size(3), rows.known_integer(4), rows.size(5), rows.known_size(6), rows.known_integer(7)};
}

/// Reads a fleet database.
class FleetDatabaseReader {
public:
    explicit FleetDatabaseReader(SqliteFile& file) : file_(file) {}

    FileSummary run(const SummaryOptions& options) {
        for_each(k_ranks_table, [this](KeptRows& rows) { add_rank(rows); });
        for_each(k_peak_stacks_table, [this](KeptRows& rows) {
            if (RankSummary* rank = rank_of(rows)) rank->peak_stacks.push_back({rows.key(3), rows.size(4), rows.size(5)});
        });
        for_each(k_growth_table, [this](KeptRows& rows) {
            if (RankSummary* rank = rank_of(rows))
                rank->growth.push_back({rows.key(3), rows.text(4), rows.text(5), rows.real(6), rows.integer(7)});
        });
        for_each(k_stacks_table, [this](KeptRows& rows) {
            if (rows.key(1) != 0) summary_.stacks.try_emplace(rows.key(1), StackWords{rows.text(2), rows.text(3)});
        });
        read_modules();
        if (options.step_stacks) {
            for_each(k_step_stacks_table, [this](KeptRows& rows) {
                if (RankSummary* rank = rank_of(rows))
                    rank->step_stacks.push_back({rows.integer(3), rows.key(4), rows.size(5), rows.size(6)});
            });
        }
        if (options.totals) {
            for_each(k_totals_table, [this](KeptRows& rows) {
                if (RankSummary* rank = rank_of(rows)) rank->totals.push_back(total_in(rows));
            });
        }
        if (summary_.ranks.empty()) throw Failure{{ErrorCode::bad_file, "holds no ranks"}};
        return std::move(summary_);
    }

private:
    /// Databases written by older versions have no table of modules.
    void read_modules() {
        SqliteRows table = value_or_throw(file_.query("SELECT 1 FROM sqlite_master WHERE name = 'peak_modules'"));
        if (!table.next()) return;
        for_each(k_peak_modules_table, [this](KeptRows& rows) {
            RankSummary* rank = rank_of(rows);
            if (rank == nullptr) return;
            std::string path = rows.text(3);
            const std::uint64_t key = module_key(path);
            rank->peak_modules.push_back({key, rows.size(4), rows.size(5)});
            summary_.modules.try_emplace(key, std::move(path));
        });
    }

    template <typename Take>
    void for_each(const FleetTable& table, Take take) {
        KeptRows rows(file_, table);
        while (rows.next()) take(rows);
        check_stop();
        need_ok(rows.status());
    }

    void add_rank(KeptRows& rows) {
        RankRow row;
        row.run = rows.text(0);
        row.rank = rows.integer(1);
        row.host = rows.text(2);
        row.device = rows.known_integer(3);
        row.file = rows.text(4);
        row.file_bytes = rows.size(5);
        row.events = rows.size(6);
        row.peak_bytes = rows.known_size(7);
        row.peak_step = rows.known_size(8);
        row.peak_time_us = rows.known_integer(9);
        row.reserved_peak_bytes = rows.known_size(10);
        row.capacity_bytes = rows.known_size(11);
        row.oom_cause = rows.text(12);
        row.wrapped = rows.integer(13) != 0;
        row.settings_json = rows.text(14);
        row.error = rows.text(15);
        row.rank_from = rank_source_named(rows.text(16)).value_or(RankSource::order);
        if (!row.peak_bytes && row.error.empty()) row.error = "has no peak in the database";
        if (!row.error.empty()) row.peak_bytes.reset();
        if (row.error.empty()) places_.emplace(std::tuple(row.run, row.rank, row.device), summary_.ranks.size());
        summary_.ranks.emplace_back().row = std::move(row);
    }

    RankSummary* rank_of(KeptRows& rows) {
        const auto found = places_.find({rows.text(0), rows.integer(1), rows.known_integer(2)});
        return found == places_.end() ? nullptr : &summary_.ranks[found->second];
    }

    SqliteFile& file_;
    std::map<std::tuple<std::string, std::int64_t, std::optional<std::int64_t>>, std::size_t> places_;
    FileSummary summary_;
};

}  // namespace

struct FleetDatabaseWriter::Impl {
    explicit Impl(const std::string& path) : output(value_or_throw(OutputFile::create(path))) {
        file.begin(output.temporary_path());
        file.execute(k_set_id);
        for (const FleetTable& table : k_fleet_tables) {
            file.execute(fmt::format("CREATE TABLE {} ({})", table.name, table.columns));
            fillers.emplace_back(file, table.name, column_names(table).size());
        }
    }

    void add(const RankSummary& rank, const FileSummary& of_file) {
        // the tables, in the order of k_fleet_tables
        enum { ranks, peak_stacks, step_stacks, stacks, growth, totals, peak_modules };
        const RankPlace place(rank.row);
        put(ranks, rank_cells(rank.row));
        for (const PeakStack& stack : rank.peak_stacks) {
            put(peak_stacks, {place.run, place.rank, place.device, key_text(stack.stack_key), size_of(stack.bytes),
                              size_of(stack.count)});
        }
        for (const PeakStack& module : rank.peak_modules) {
            const auto path = of_file.modules.find(module.stack_key);
            if (path == of_file.modules.end()) continue;
            put(peak_modules,
                {place.run, place.rank, place.device, path->second, size_of(module.bytes), size_of(module.count)});
        }
        for (const StepStack& stack : rank.step_stacks) {
            put(step_stacks, {place.run, place.rank, place.device, stack.training_step, key_text(stack.stack_key),
                              size_of(stack.allocated_bytes), size_of(stack.left_bytes)});
        }
        for (const GrownStack& stack : rank.growth) {
            put(growth, {place.run, place.rank, place.device, key_text(stack.stack_key), stack.source, stack.state,
                         stack.slope, stack.grown_bytes});
        }
        for (const HighestTotal& total : rank.totals) {
            put(totals,
                {place.run, place.rank, place.device, size_of(total.step), total.time_us ? Cell(*total.time_us) : Cell(),
                 size_of(total.allocated_bytes), total.reserved_bytes ? size_of(*total.reserved_bytes) : Cell(),
                 total.training_step ? Cell(*total.training_step) : Cell()});
        }
    }

    void put(std::size_t table, const std::vector<Cell>& cells) { fillers[table].row(cells); }

    /// Writes the stacks that `rank` refers to, except those written before for the same run.
    void add_stacks(const RankSummary& rank, const FileSummary& file_summary) {
        constexpr std::size_t k_stacks = 3;
        const auto add_key = [&](std::uint64_t key) {
            const auto words = file_summary.stacks.find(key);
            if (words == file_summary.stacks.end() || !stacks_of_run[rank.row.run].insert(key).second) return;
            put(k_stacks, {rank.row.run, key_text(key), words->second.text, words->second.top_frame});
        };
        for (const PeakStack& stack : rank.peak_stacks) add_key(stack.stack_key);
        for (const StepStack& stack : rank.step_stacks) add_key(stack.stack_key);
        for (const GrownStack& stack : rank.growth) add_key(stack.stack_key);
    }

    OutputFile output;
    DatabaseFile file;
    std::vector<TableFiller> fillers;  ///< one filler per table, parallel to k_fleet_tables
    std::map<std::string, std::set<std::uint64_t>> stacks_of_run;
};

FleetDatabaseWriter::FleetDatabaseWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FleetDatabaseWriter::FleetDatabaseWriter(FleetDatabaseWriter&&) noexcept = default;
FleetDatabaseWriter::~FleetDatabaseWriter() = default;

Result<FleetDatabaseWriter> FleetDatabaseWriter::create(const std::string& path) {
    return caught([&] { return FleetDatabaseWriter(std::make_unique<Impl>(path)); });
}

Status FleetDatabaseWriter::add(const FileSummary& file) {
    return caught([&] {
        for (const RankSummary& rank : file.ranks) {
            impl_->add(rank, file);
            impl_->add_stacks(rank, file);
        }
        check_stop();
    });
}

Status FleetDatabaseWriter::put_in_place() {
    return caught([&] {
        impl_->fillers.clear();
        impl_->file.commit();
        impl_->file.close();
        need_ok(impl_->output.put_in_place());
    });
}

bool is_fleet_database(const std::string& path) {
    const Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    std::array<char, k_id_offset + 4> header{};
    if (!file || !file->read(std::as_writable_bytes(std::span(header)), 0)) return false;
    return std::string_view(header.data(), k_sqlite.size()) == k_sqlite &&
           std::string_view(header.data() + k_id_offset, k_id.size()) == k_id;
}

FileSummary read_fleet_database(const std::string& path, const SummaryOptions& options, Progress& progress) {
    const std::shared_ptr<SqliteFile> file = value_or_throw(load_database(path, progress));
    return FleetDatabaseReader(*file).run(options);
}

Result<std::vector<HighestTotal>> read_kept_totals(const std::string& path, const std::string& file, std::int64_t rank,
                                                   std::optional<std::int64_t> device, Progress& progress) {
    return caught(&progress, [&] {
        const std::shared_ptr<SqliteFile> database = value_or_throw(load_database(path, progress));
        KeptRows rows(*database, k_totals_table,
                      "rank = ?2 AND device IS ?3 AND run IS (SELECT run FROM ranks WHERE file = ?1 AND "
                      "ranks.rank = ?2 AND ranks.device IS ?3 AND error IS NULL)");
        rows.bind(1, std::string_view(file));
        rows.bind(2, rank);
        if (device) rows.bind(3, *device);
        std::vector<HighestTotal> totals;
        while (rows.next()) totals.push_back(total_in(rows));
        need_ok(rows.status());
        return totals;
    });
}

namespace {

Cell amount(std::uint64_t value) { return static_cast<std::int64_t>(value); }
Cell known_amount(const std::optional<std::uint64_t>& value) { return value ? amount(*value) : Cell(); }
Cell known_number(const std::optional<std::int64_t>& value) { return value ? Cell(*value) : Cell(); }
Cell known_text(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

}  // namespace

std::vector<std::string> column_names(const FleetTable& table) {
    std::vector<std::string> names;
    for (std::string_view rest = table.columns; !rest.empty();) {
        names.emplace_back(rest.substr(0, rest.find(' ')));
        rest.remove_prefix(std::min(rest.size(), rest.find(',')));
        rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(", ")));
    }
    return names;
}

std::vector<Cell> rank_cells(const RankRow& row) {
    const bool is_read = row.error.empty();
    return {row.run,
            row.rank,
            known_text(row.host),
            known_number(row.device),
            row.file,
            amount(row.file_bytes),
            is_read ? amount(row.events) : Cell(),
            known_amount(row.peak_bytes),
            known_amount(row.peak_step),
            known_number(row.peak_time_us),
            known_amount(row.reserved_peak_bytes),
            known_amount(row.capacity_bytes),
            known_text(row.oom_cause),
            is_read ? Cell(std::int64_t{row.wrapped ? 1 : 0}) : Cell(),
            known_text(row.settings_json),
            known_text(row.error),
            std::string(rank_source_name(row.rank_from))};
}

}  // namespace snapviewer
