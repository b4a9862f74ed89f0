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

/// Creates the fields of rows that belong to a rank. The first three identify the rank.
template <typename Row>
Fields<Row, const RankRow> fields_of_rank(std::initializer_list<Field<Row, const RankRow>> fields) {
    const Fields<Row, const RankRow> place = {
        {"run", FieldUnit::text, "as in `ranks`", [](const Row&, const RankRow& rank) { return rank.run; }},
        {"rank", FieldUnit::id, "as in `ranks`", [](const Row&, const RankRow& rank) { return rank.rank; }},
        {"device", FieldUnit::id, "as in `ranks`", [](const Row&, const RankRow& rank) { return rank.device; }}};
    return place + Fields<Row, const RankRow>(fields);
}

const char* const k_stack_key_sentence =
    "key of the stack; sixteen zeros for memory without one or from before the recording";

const auto k_peak_stack_fields = fields_of_rank<PeakStack>(
    {{"stack_key", FieldUnit::text, k_stack_key_sentence, [](const PeakStack& stack) { return key_text(stack.stack_key); }},
     {"bytes", FieldUnit::bytes, "what it holds at the peak", &PeakStack::bytes},
     {"count", FieldUnit::count, "number of its allocations at the peak", &PeakStack::count}});

struct PeakModule {
    const std::string* path;
    const PeakStack* at_peak;

    const PeakStack& operator*() const { return *at_peak; }
};

const auto k_peak_module_fields = fields_of_rank<PeakModule>(
    {{"module", FieldUnit::text, "its path", [](const PeakModule& module) { return *module.path; }},
     {"bytes", FieldUnit::bytes, "what it holds at the peak, without the modules within it", &PeakStack::bytes},
     {"count", FieldUnit::count, "number of its allocations at the peak", &PeakStack::count}});

const auto k_step_stack_fields = fields_of_rank<StepStack>(
    {{"training_step", FieldUnit::id,
      "the profiler's number of the step if the profiler marked the steps; otherwise it counts from 0 within the file",
      &StepStack::training_step},
     {"stack_key", FieldUnit::text, k_stack_key_sentence, [](const StepStack& stack) { return key_text(stack.stack_key); }},
     {"allocated_bytes", FieldUnit::bytes, "what it allocated in the step", &StepStack::allocated_bytes},
     {"left_bytes", FieldUnit::bytes, "what of it outlives the last complete step", &StepStack::left_bytes}});

struct KeptStack {
    std::uint64_t key;
    const StackWords* words;

    const StackWords& operator*() const { return *words; }
};

const Fields<KeptStack, const RankRow> k_stack_fields = {
    {"run", FieldUnit::text, "as in `ranks`", [](const KeptStack&, const RankRow& rank) { return rank.run; }},
    {"stack_key", FieldUnit::text, "key of the stack, the same on all ranks",
     [](const KeptStack& stack) { return key_text(stack.key); }},
    {"text", FieldUnit::text, "its frames, one a line, innermost first", &StackWords::text},
    {"top_frame", FieldUnit::text, "the source line that stands for it", &StackWords::top_frame}};

const auto k_grown_stack_fields = fields_of_rank<GrownStack>(
    {{"stack_key", FieldUnit::text, k_stack_key_sentence, [](const GrownStack& stack) { return key_text(stack.stack_key); }},
     {"source", FieldUnit::text, "as in the table of one file", &GrownStack::source},
     {"state", FieldUnit::text, "'leak', 'possible', 'settled' or 'fluctuating'", &GrownStack::state},
     {"slope", FieldUnit::number, "bytes per step", &GrownStack::slope},
     {"grown_bytes", FieldUnit::bytes, "how many bytes more at the end than at the beginning", &GrownStack::grown_bytes}});

const auto k_total_fields = fields_of_rank<HighestTotal>(
    {{"step", FieldUnit::step, "place on the axis", &HighestTotal::step},
     {"time_us", FieldUnit::microseconds, "since 1970 (UTC); NULL without times", &HighestTotal::time_us},
     {"allocated_bytes", FieldUnit::bytes, "total of the live allocations", &HighestTotal::allocated_bytes},
     {"reserved_bytes", FieldUnit::bytes, "reserved at that moment; NULL if unknown", &HighestTotal::reserved_bytes},
     {"training_step", FieldUnit::id, "as in `step_stacks`; NULL outside of complete steps", &HighestTotal::training_step}});

/// The tables, in the order of fleet_tables().
struct FleetTable {
    enum Number : std::size_t { ranks, peak_stacks, step_stacks, stacks, growth, totals, peak_modules };
};

/// Reads the rows of a table. Columns are numbered in the order of the table's definition.
class KeptRows {
public:
    explicit KeptRows(SqliteFile& file, FleetTable::Number table, const char* condition = "true")
        : rows_(value_or_throw(file.query(select(fleet_tables()[table], condition)))) {}

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
    static std::string select(const TableDoc& table, const char* condition) {
        std::string names;
        for (const ColumnDoc& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
        return fmt::format("SELECT {} FROM {} WHERE {} ORDER BY rowid", names, table.name, condition);
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
        for_each(FleetTable::ranks, [this](KeptRows& rows) { add_rank(rows); });
        for_each(FleetTable::peak_stacks, [this](KeptRows& rows) {
            if (RankSummary* rank = rank_of(rows)) rank->peak_stacks.push_back({rows.key(3), rows.size(4), rows.size(5)});
        });
        for_each(FleetTable::growth, [this](KeptRows& rows) {
            if (RankSummary* rank = rank_of(rows))
                rank->growth.push_back({rows.key(3), rows.text(4), rows.text(5), rows.real(6), rows.integer(7)});
        });
        for_each(FleetTable::stacks, [this](KeptRows& rows) {
            if (rows.key(1) != 0) summary_.stacks.try_emplace(rows.key(1), StackWords{rows.text(2), rows.text(3)});
        });
        read_modules();
        if (options.step_stacks) {
            for_each(FleetTable::step_stacks, [this](KeptRows& rows) {
                if (RankSummary* rank = rank_of(rows))
                    rank->step_stacks.push_back({rows.integer(3), rows.key(4), rows.size(5), rows.size(6)});
            });
        }
        if (options.totals) {
            for_each(FleetTable::totals, [this](KeptRows& rows) {
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
        for_each(FleetTable::peak_modules, [this](KeptRows& rows) {
            RankSummary* rank = rank_of(rows);
            if (rank == nullptr) return;
            std::string path = rows.text(3);
            const std::uint64_t key = module_key(path);
            rank->peak_modules.push_back({key, rows.size(4), rows.size(5)});
            summary_.modules.try_emplace(key, std::move(path));
        });
    }

    template <typename Take>
    void for_each(FleetTable::Number table, Take take) {
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
        for (const TableDoc& table : fleet_tables()) fillers.push_back(create_table(file, table));
    }

    void add(const RankSummary& rank, const FileSummary& of_file) {
        const RankRow& row = rank.row;
        put(FleetTable::ranks, k_rank_fields.cells(row));
        for (const PeakStack& stack : rank.peak_stacks) put(FleetTable::peak_stacks, k_peak_stack_fields.cells(stack, row));
        for (const PeakStack& module : rank.peak_modules) {
            const auto path = of_file.modules.find(module.stack_key);
            if (path != of_file.modules.end())
                put(FleetTable::peak_modules, k_peak_module_fields.cells({&path->second, &module}, row));
        }
        for (const StepStack& stack : rank.step_stacks) put(FleetTable::step_stacks, k_step_stack_fields.cells(stack, row));
        for (const GrownStack& stack : rank.growth) put(FleetTable::growth, k_grown_stack_fields.cells(stack, row));
        for (const HighestTotal& total : rank.totals) put(FleetTable::totals, k_total_fields.cells(total, row));
    }

    void put(FleetTable::Number table, const std::vector<Cell>& cells) { fillers[table].row(cells); }

    /// Writes the stacks that `rank` refers to, except those written before for the same run.
    void add_stacks(const RankSummary& rank, const FileSummary& file_summary) {
        const auto add_key = [&](std::uint64_t key) {
            const auto words = file_summary.stacks.find(key);
            if (words == file_summary.stacks.end() || !stacks_of_run[rank.row.run].insert(key).second) return;
            put(FleetTable::stacks, k_stack_fields.cells({key, &words->second}, rank.row));
        };
        for (const PeakStack& stack : rank.peak_stacks) add_key(stack.stack_key);
        for (const StepStack& stack : rank.step_stacks) add_key(stack.stack_key);
        for (const GrownStack& stack : rank.growth) add_key(stack.stack_key);
    }

    OutputFile output;
    DatabaseFile file;
    std::vector<TableFiller> fillers;  ///< one filler per table, parallel to fleet_tables()
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
        KeptRows rows(*database, FleetTable::totals,
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

/// Returns a value, or nullopt for a file that could not be read.
template <typename T>
std::optional<T> if_read(const RankRow& row, T value) {
    return row.error.empty() ? std::optional(value) : std::nullopt;
}

}  // namespace

const Fields<RankRow> k_rank_fields = {
    {"run", FieldUnit::text, "distinguishes several snapshots of the same rank", &RankRow::run},
    {"rank", FieldUnit::id, "number of the rank", &RankRow::rank},
    {"host", FieldUnit::text, "from the name of the file", [](const RankRow& row) { return unless_empty(row.host); }},
    {"device", FieldUnit::id, "device number as in the file", &RankRow::device},
    {"file", FieldUnit::text, "path of the snapshot", &RankRow::file},
    {"file_bytes", FieldUnit::bytes, "size of the file", &RankRow::file_bytes},
    {"events", FieldUnit::count, "number of recorded events", [](const RankRow& row) { return if_read(row, row.events); }},
    {"peak_bytes", FieldUnit::bytes, "largest total of live allocations", &RankRow::peak_bytes},
    {"peak_step", FieldUnit::step, "where the peak is on the axis", &RankRow::peak_step},
    {"peak_time_us", FieldUnit::microseconds, "when, since 1970 (UTC)", &RankRow::peak_time_us},
    {"reserved_peak_bytes", FieldUnit::bytes, "most that was reserved from the driver", &RankRow::reserved_peak_bytes},
    {"capacity_bytes", FieldUnit::bytes, "memory of the device, where it ran out", &RankRow::capacity_bytes},
    {"oom_cause", FieldUnit::text, "cause of the last time that memory ran out",
     [](const RankRow& row) { return unless_empty(row.oom_cause); }},
    {"wrapped", FieldUnit::flag, "1 if the oldest events are lost because the recorder's buffer was full, otherwise 0",
     [](const RankRow& row) { return if_read(row, row.wrapped ? 1 : 0); }},
    {"settings_json", FieldUnit::text, "settings at the top level of the file, as a JSON object",
     [](const RankRow& row) { return unless_empty(row.settings_json); }},
    {"error", FieldUnit::text, "why the file could not be read", [](const RankRow& row) { return unless_empty(row.error); }},
    {"rank_from", FieldUnit::text, "where the number of the rank comes from",
     [](const RankRow& row) { return rank_source_name(row.rank_from); }}};

const std::vector<TableDoc>& fleet_tables() {
    static const std::vector<TableDoc> all = {
        {"ranks", "one row for each device of a file, and for each file that could not be read", k_rank_fields.columns()},
        {"peak_stacks", "what was live at the peak, the 4,096 largest", k_peak_stack_fields.columns()},
        {"step_stacks", "what each of the last 32 complete training steps allocated; of each step the 1,024 largest",
         k_step_stack_fields.columns()},
        {"stacks", "the stacks that the other tables name", k_stack_fields.columns()},
        {"growth", "what grows from step to step", k_grown_stack_fields.columns()},
        {"totals",
         "the curve of a rank in at most 4,096 rows, each the highest of equally many moments. Only with `--totals`, "
         "because "
         "it takes more room than all the others",
         k_total_fields.columns()},
        {"peak_modules", "what was live at the peak, by module", k_peak_module_fields.columns()}};
    return all;
}

}  // namespace snapviewer
