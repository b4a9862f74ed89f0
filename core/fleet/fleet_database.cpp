#include "core/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/exports/database_file.h"
#include "core/load/formats.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::fleet {
namespace {

/// The first bytes of a SQLite file, and the offset of the field by which applications identify their files: PRAGMA
/// application_id.
constexpr std::string_view k_sqlite = "SQLite format 3";
constexpr std::size_t k_id_offset = 68;
constexpr std::string_view k_id = "snvf";
constexpr const char* k_set_id = "PRAGMA application_id = 0x736e7666";

/// The row of `ranks` that a row of another table belongs to, and the summary that contains both.
struct RowContext {
    const RankRow& rank;
    const FileSummary& file;
};

/// Creates the fields of rows that belong to a rank. The first three identify the rank.
template <typename Row>
Fields<Row, const RowContext> fields_of_rank(std::initializer_list<Field<Row, const RowContext>> fields) {
    const Fields<Row, const RowContext> identity = {
        {"run", FieldUnit::text, "as in `ranks`", [](const Row&, const RowContext& of) { return of.rank.run; }},
        {"rank", FieldUnit::id, "as in `ranks`", [](const Row&, const RowContext& of) { return of.rank.rank; }},
        {"device", FieldUnit::id, "as in `ranks`", [](const Row&, const RowContext& of) { return of.rank.device; }}};
    return identity + Fields<Row, const RowContext>(fields);
}

const char* const k_stack_key_sentence =
    "key of the stack; sixteen zeros for memory without a stack and for memory allocated before the recording";

const auto k_peak_stack_fields = fields_of_rank<PeakStack>(
    {{"stack_key", FieldUnit::text, k_stack_key_sentence, [](const PeakStack& stack) { return key_text(stack.stack_key); }},
     {"bytes", FieldUnit::bytes, "bytes that it holds at the peak", &PeakStack::bytes},
     {"count", FieldUnit::count, "number of its allocations that are live at the peak", &PeakStack::count}});

const auto k_peak_module_fields = fields_of_rank<PeakStack>(
    {{"module", FieldUnit::text, "path of the module",
      [](const PeakStack& module, const RowContext& of) { return of.file.modules.at(module.stack_key); }},
     {"bytes", FieldUnit::bytes, "bytes that it holds at the peak, without the modules within it", &PeakStack::bytes},
     {"count", FieldUnit::count, "number of its allocations that are live at the peak", &PeakStack::count}});

const auto k_step_stack_fields = fields_of_rank<StepStack>(
    {{"training_step", FieldUnit::id,
      "the profiler's number of the step if the profiler marked the steps; otherwise it counts from 0 within the file",
      &StepStack::training_step},
     {"stack_key", FieldUnit::text, k_stack_key_sentence, [](const StepStack& stack) { return key_text(stack.stack_key); }},
     {"allocated_bytes", FieldUnit::bytes, "bytes that it allocated in the step", &StepStack::allocated_bytes},
     {"left_bytes", FieldUnit::bytes, "the part of allocated_bytes that outlives the last complete step",
      &StepStack::left_bytes}});

using KeyedStack = std::pair<const std::uint64_t, StackWords>;

const Fields<KeyedStack, const RowContext> k_stack_fields = {
    {"run", FieldUnit::text, "as in `ranks`", [](const KeyedStack&, const RowContext& of) { return of.rank.run; }},
    {"stack_key", FieldUnit::text, "key of the stack, the same on all ranks",
     [](const KeyedStack& stack) { return key_text(stack.first); }},
    {"text", FieldUnit::text, "its frames, one per line, innermost first",
     [](const KeyedStack& stack) { return stack.second.text; }},
    {"top_frame", FieldUnit::text, "the source line that represents it",
     [](const KeyedStack& stack) { return stack.second.top_frame; }}};

const auto k_grown_stack_fields = fields_of_rank<GrownStack>(
    {{"stack_key", FieldUnit::text, k_stack_key_sentence, [](const GrownStack& stack) { return key_text(stack.stack_key); }},
     {"source", FieldUnit::text, "as in the [table of one file](sql.md#growth)", &GrownStack::source},
     {"state", FieldUnit::text, "as in the table of one file", &GrownStack::state},
     {"slope", FieldUnit::number, "bytes per training step", &GrownStack::slope},
     {"grown_bytes", FieldUnit::bytes, "bytes at the end minus bytes at the beginning", &GrownStack::grown_bytes}});

const auto k_total_fields = fields_of_rank<HighestTotal>(
    {{"step", FieldUnit::step, "position on the step axis", &HighestTotal::step},
     {"time_us", FieldUnit::microseconds, "time since 1970 (UTC)", &HighestTotal::time_us},
     {"allocated_bytes", FieldUnit::bytes, "total of the live allocations", &HighestTotal::allocated_bytes},
     {"reserved_bytes", FieldUnit::bytes, "bytes reserved from the driver at that moment", &HighestTotal::reserved_bytes},
     {"training_step", FieldUnit::id, "as in `step_stacks`; NULL outside complete steps", &HighestTotal::training_step}});

/// The tables, in the order of fleet_tables().
struct FleetTable {
    enum Number : std::size_t { ranks, peak_stacks, step_stacks, stacks, growth, totals, peak_modules };
};

/// Reads the rows of a table. Columns are numbered in the order of the table's definition.
class KeptRows : public sqlite::SqliteRows {
public:
    /// `condition` is SQL. Its parameters ?1, ?2, ... are set with bind().
    explicit KeptRows(sqlite::SqliteFile& file, FleetTable::Number table, const char* condition = "true")
        : sqlite::SqliteRows(value_or_throw(file.query(select(fleet_tables()[table], condition)))) {}

    std::string text(int column) const { return std::string(sqlite::SqliteRows::text(column)); }
    std::optional<std::int64_t> known_integer(int column) const {
        return type(column) == sqlite::ValueType::null ? std::nullopt : std::optional(integer(column));
    }
    std::uint64_t size(int column) const { return static_cast<std::uint64_t>(std::max<std::int64_t>(integer(column), 0)); }
    std::optional<std::uint64_t> known_size(int column) const {
        return type(column) == sqlite::ValueType::null ? std::nullopt : std::optional(size(column));
    }
    std::uint64_t key(int column) const {
        std::uint64_t key = 0;
        read_number(sqlite::SqliteRows::text(column), key, 16);
        return key;
    }

private:
    static std::string select(const sqlite::TableDoc& table, const char* condition) {
        std::string names;
        for (const ColumnDoc& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
        return fmt::format("SELECT {} FROM {} WHERE {} ORDER BY rowid", names, table.name, condition);
    }
};

HighestTotal total_in(const KeptRows& rows) {
    return {rows.size(3), rows.known_integer(4), rows.size(5), rows.known_size(6), rows.known_integer(7)};
}

/// Reads a fleet database.
class FleetDatabaseReader {
public:
    explicit FleetDatabaseReader(sqlite::SqliteFile& file) : file_(file) {}

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
        sqlite::SqliteRows table = value_or_throw(file_.query("SELECT 1 FROM sqlite_master WHERE name = 'peak_modules'"));
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
        throw_if_error(rows.status());
    }

    void add_rank(KeptRows& rows) {
        // The columns are in the order of the members of RankRow.
        RankRow row = {rows.text(0),
                       rows.integer(1),
                       rows.text(2),
                       rows.known_integer(3),
                       rows.text(4),
                       rows.size(5),
                       rows.size(6),
                       rows.known_size(7),
                       rows.known_size(8),
                       rows.known_integer(9),
                       rows.known_size(10),
                       rows.known_size(11),
                       rows.text(12),
                       rows.integer(13) != 0,
                       rows.text(14),
                       rows.text(15),
                       rank_source_named(rows.text(16)).value_or(RankSource::order)};
        if (!row.peak_bytes && row.error.empty()) row.error = "has no peak in the database";
        if (!row.error.empty()) row.peak_bytes.reset();
        if (row.error.empty()) places_.emplace(std::tuple(row.run, row.rank, row.device), summary_.ranks.size());
        summary_.ranks.emplace_back().row = std::move(row);
    }

    RankSummary* rank_of(KeptRows& rows) {
        const auto found = places_.find({rows.text(0), rows.integer(1), rows.known_integer(2)});
        return found == places_.end() ? nullptr : &summary_.ranks[found->second];
    }

    sqlite::SqliteFile& file_;
    std::map<std::tuple<std::string, std::int64_t, std::optional<std::int64_t>>, std::size_t> places_;
    FileSummary summary_;
};

template <typename Row>
void add_rows(exports::TableFiller& filler, const std::vector<Row>& rows, const Fields<Row, const RowContext>& fields,
              const RowContext& context) {
    for (const Row& row : rows) filler.row(fields.cells(row, context));
}

/// Returns a value, or nullopt for a file that could not be read.
template <typename T>
std::optional<T> if_read(const RankRow& row, T value) {
    return row.error.empty() ? std::optional(value) : std::nullopt;
}

}  // namespace

const Fields<RankRow> k_rank_fields = {
    {"run", FieldUnit::text, "distinguishes several snapshots of the same rank", &RankRow::run},
    {"rank", FieldUnit::id, "number of the rank", &RankRow::rank},
    {"host", FieldUnit::text, "host in the name of the file", [](const RankRow& row) { return null_if_empty(row.host); }},
    {"device", FieldUnit::id, "device number as in the file", &RankRow::device},
    {"file", FieldUnit::text, "path of the snapshot", &RankRow::file},
    {"file_bytes", FieldUnit::bytes, "size of the file", &RankRow::file_bytes},
    {"events", FieldUnit::count, "number of recorded events", [](const RankRow& row) { return if_read(row, row.events); }},
    {"peak_bytes", FieldUnit::bytes, "largest total of live allocations", &RankRow::peak_bytes},
    {"peak_step", FieldUnit::step, "position of the peak on the step axis", &RankRow::peak_step},
    {"peak_time_us", FieldUnit::microseconds, "time of the peak since 1970 (UTC)", &RankRow::peak_time_us},
    {"reserved_peak_bytes", FieldUnit::bytes, "maximum of the bytes reserved from the driver",
     &RankRow::reserved_peak_bytes},
    {"capacity_bytes", FieldUnit::bytes, "memory of the device; known only if it ran out of memory",
     &RankRow::capacity_bytes},
    {"oom_cause", FieldUnit::text, "cause of the last out-of-memory error",
     [](const RankRow& row) { return null_if_empty(row.oom_cause); }},
    {"wrapped", FieldUnit::flag, "1 if the oldest events are lost because the recorder's buffer was full, otherwise 0",
     [](const RankRow& row) { return if_read(row, row.wrapped ? 1 : 0); }},
    {"settings_json", FieldUnit::text, "settings at the top level of the file, as a JSON object",
     [](const RankRow& row) { return null_if_empty(row.settings_json); }},
    {"error", FieldUnit::text, "reason why the file could not be read",
     [](const RankRow& row) { return null_if_empty(row.error); }},
    {"rank_from", FieldUnit::text, "source of the rank number: 'metadata', 'file name', 'folder name' or 'order of names'",
     [](const RankRow& row) { return rank_source_name(row.rank_from); }}};

struct FleetDatabaseWriter::Impl {
    explicit Impl(const std::string& path) : output(value_or_throw(OutputFile::create(path))) {
        file.begin(output.temporary_path());
        file.execute(k_set_id);
        for (const sqlite::TableDoc& table : fleet_tables()) fillers.push_back(exports::create_table(file, table));
    }

    void add(const RankSummary& rank, const FileSummary& summary) {
        const RowContext context{rank.row, summary};
        fillers[FleetTable::ranks].row(k_rank_fields.cells(rank.row));
        add_rows(fillers[FleetTable::peak_stacks], rank.peak_stacks, k_peak_stack_fields, context);
        add_rows(fillers[FleetTable::step_stacks], rank.step_stacks, k_step_stack_fields, context);
        add_rows(fillers[FleetTable::growth], rank.growth, k_grown_stack_fields, context);
        add_rows(fillers[FleetTable::totals], rank.totals, k_total_fields, context);
        for (const PeakStack& module : rank.peak_modules) {
            if (summary.modules.contains(module.stack_key))
                fillers[FleetTable::peak_modules].row(k_peak_module_fields.cells(module, context));
        }
        // Stacks that were written before for the same run are skipped.
        const auto add_stacks = [&](const auto& rows) {
            for (const auto& row : rows) {
                const auto stack = summary.stacks.find(row.stack_key);
                if (stack != summary.stacks.end() && stacks_of_run[rank.row.run].insert(row.stack_key).second)
                    fillers[FleetTable::stacks].row(k_stack_fields.cells(*stack, RowContext{rank.row, summary}));
            }
        };
        add_stacks(rank.peak_stacks);
        add_stacks(rank.step_stacks);
        add_stacks(rank.growth);
    }

    OutputFile output;
    exports::DatabaseFile file;
    std::vector<exports::TableFiller> fillers;  ///< one filler per table, parallel to fleet_tables()
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
        for (const RankSummary& rank : file.ranks) impl_->add(rank, file);
        check_stop();
    });
}

Status FleetDatabaseWriter::commit() {
    return caught([&] {
        impl_->fillers.clear();
        impl_->file.commit();
        impl_->file.close();
        throw_if_error(impl_->output.commit());
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
    const std::shared_ptr<sqlite::SqliteFile> file = value_or_throw(load::load_database(path, progress));
    return FleetDatabaseReader(*file).run(options);
}

Result<std::vector<HighestTotal>> read_kept_totals(const std::string& path, const std::string& file, std::int64_t rank,
                                                   std::optional<std::int64_t> device, Progress& progress) {
    return caught(&progress, [&] {
        const std::shared_ptr<sqlite::SqliteFile> database = value_or_throw(load::load_database(path, progress));
        KeptRows rows(*database, FleetTable::totals,
                      "rank = ?2 AND device IS ?3 AND run IS (SELECT run FROM ranks WHERE file = ?1 AND "
                      "ranks.rank = ?2 AND ranks.device IS ?3 AND error IS NULL)");
        rows.bind(1, std::string_view(file));
        rows.bind(2, rank);
        if (device) rows.bind(3, *device);
        std::vector<HighestTotal> totals;
        while (rows.next()) totals.push_back(total_in(rows));
        throw_if_error(rows.status());
        return totals;
    });
}

std::span<const sqlite::TableDoc> fleet_tables() {
    static const std::vector<sqlite::TableDoc> tables = {
        {"ranks", "Devices of a file, and files that could not be read", k_rank_fields.columns()},
        {"peak_stacks", "The 4,096 stacks that hold most at the peak of a rank", k_peak_stack_fields.columns()},
        {"step_stacks",
         "The 1,024 stacks that allocate most in a training step, for each of the last 32 complete steps of a rank",
         k_step_stack_fields.columns()},
        {"stacks", "The stacks to which other tables refer", k_stack_fields.columns()},
        {"growth", "The stacks of a rank whose memory grows from step to step", k_grown_stack_fields.columns()},
        {"totals",
         "The curve of a rank in at most 4,096 rows, each the highest of equally many moments. Written only with "
         "`--totals`, because it takes more room than all other tables",
         k_total_fields.columns()},
        {"peak_modules", "The 4,096 modules that hold most at the peak of a rank", k_peak_module_fields.columns()}};
    return tables;
}

}  // namespace snapviewer::fleet
