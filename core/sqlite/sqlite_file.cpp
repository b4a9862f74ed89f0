#include "core/sqlite/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <new>
#include <set>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/sqlite/connection.h"

namespace snapviewer::sqlite {
namespace {

constexpr int k_busy_timeout_ms = 3000;

constexpr int k_max_columns = 2000;
/// Bounds of the maximum size of a value. The maximum is the size of the file, because only views compute longer values.
constexpr std::int64_t k_min_value_bytes = 4 << 20;
constexpr std::int64_t k_max_value_bytes = 256 << 20;

/// Maximum memory for reading the columns of one view. SQLite copies a view wherever another view mentions it, so thirty
/// views that mention each other twice expand to a billion SELECTs. 512 KiB is enough for 800 SELECTs or 1,300 columns. The
/// call stack for a chain of views is as large as the memory, so this also fits into the 1 MiB stack of some threads.
constexpr std::int64_t k_max_view_bytes = 512 << 10;
/// Maximum number of memory checks (one in 64 allocations) for the columns of all views, which takes about 0.3 s.
constexpr int k_max_view_checks = 8'000;

/// Number of virtual machine operations between two calls of the progress handler. Most operations take some 50 ns, but one
/// operation can compare two values of maximum length, so files with longer values are checked more often.
constexpr std::int64_t k_operations_between_checks = 500;
constexpr std::int64_t k_min_between_checks = 16;

/// Lets SQLite open a file that is shorter than its header says, which it refuses unless the schema is writable. The file is
/// still open read-only, so nothing can be written.
void accept_missing_end(sqlite3* connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

std::int64_t max_value_bytes(std::int64_t file_bytes) {
    return std::clamp(file_bytes, k_min_value_bytes, k_max_value_bytes);
}

/// Ends statements if the calling thread must stop.
struct ThreadControl final : SqliteControl {
    bool must_end() override { return must_stop(); }
};
ThreadControl g_thread_control;

/// Configures a connection for an untrusted file, whose schema may contain anything.
int make_safe(sqlite3* connection, std::int64_t file_bytes) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    set_limits(connection, {.value_bytes = static_cast<int>(max_value_bytes(file_bytes)), .columns = k_max_columns});
    sqlite3_busy_timeout(connection, k_busy_timeout_ms);
    if (const int status = create_guarded_functions(connection, g_thread_control); status != SQLITE_OK) return status;
    refuse_other_functions(connection);
    drop_foreign_modules(connection);
    const std::int64_t operations =
        std::max(k_operations_between_checks * k_min_value_bytes / max_value_bytes(file_bytes), k_min_between_checks);
    sqlite3_progress_handler(
        connection, static_cast<int>(operations), [](void*) { return must_stop() ? 1 : 0; }, nullptr);
    return sqlite3_exec(connection, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA temp_store = FILE", nullptr,
                        nullptr, nullptr);
}

/// Stops SQLite from reading the columns of a view that needs too much memory, or too much time together with other views.
class ViewLimit {
public:
    /// Callback of QueryMemory; `limit` is a ViewLimit.
    static bool may_continue(void* limit, std::int64_t taken_bytes) {
        auto& self = *static_cast<ViewLimit*>(limit);
        self.is_exceeded_ = ++self.checks_ > k_max_view_checks || taken_bytes > k_max_view_bytes;
        return !self.is_exceeded_ && !must_stop();
    }
    /// True if the last view was stopped. Resets the state for the next view.
    bool take_exceeded() { return std::exchange(is_exceeded_, false); }

private:
    int checks_ = 0;
    bool is_exceeded_ = false;
};

Error sqlite_failure(sqlite3* connection, int status) {
    if (status == SQLITE_INTERRUPT) return stopped();
    if (status == SQLITE_NOMEM) throw std::bad_alloc();  // an Error would be mistaken for an unreadable table
    return {status == SQLITE_CANTOPEN || (status & 0xFF) == SQLITE_IOERR ? ErrorCode::io : ErrorCode::bad_file,
            fmt::format("cannot be read as an SQLite database: {}", sqlite3_errmsg(connection))};
}

/// Throws if SQLite lacked memory for a value, because the statement would then run with NULL instead.
void need_bound(int status) {
    if (status == SQLITE_NOMEM) throw std::bad_alloc();
}

}  // namespace

void CloseConnection::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void FinalizeStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqliteRows::bind(int parameter, std::int64_t value) {
    need_bound(sqlite3_bind_int64(statement_.get(), parameter, value));
}

void SqliteRows::bind(int parameter, std::string_view value) {
    need_bound(sqlite3_bind_text64(statement_.get(), parameter, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteRows::reset() {
    sqlite3_reset(statement_.get());
    at_end_ = false;
    status_ = {};
}

bool SqliteRows::next() {
    if (at_end_) return false;
    const int status = sqlite3_step(statement_.get());
    const bool is_to_stop = must_stop();
    if (status == SQLITE_ROW && !is_to_stop) return true;
    at_end_ = true;
    if (is_to_stop)
        status_ = stop_error();
    else if (status != SQLITE_DONE)
        status_ = sqlite_failure(sqlite3_db_handle(statement_.get()), status);
    return false;
}

ValueType SqliteRows::type(int column) const {
    switch (sqlite3_column_type(statement_.get(), column)) {
        case SQLITE_INTEGER: return ValueType::integer;
        case SQLITE_FLOAT: return ValueType::real;
        case SQLITE_TEXT: return ValueType::text;
        case SQLITE_BLOB: return ValueType::blob;
        default: return ValueType::null;
    }
}

std::optional<std::int64_t> SqliteRows::stored_integer(int column) const {
    // The connection is used by one thread only, so the unprotected value is safe to use without a copy.
    sqlite3_value* value = sqlite3_column_value(statement_.get(), column);
    return sqlite3_value_type(value) == SQLITE_INTEGER ? std::optional(sqlite3_value_int64(value)) : std::nullopt;
}

std::int64_t SqliteRows::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double SqliteRows::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view SqliteRows::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    const auto size = static_cast<std::size_t>(text == nullptr ? 0 : sqlite3_column_bytes(statement_.get(), column));
    return size == 0 ? std::string_view() : std::string_view(text, size);
}

/// Reads the schema. That can take more than linear time in SQLite (names of WITH clauses, constraints of a table, its
/// tables of names) and does not call the progress handler; only the allocator can stop it.
auto SqliteFile::read_schema() -> Result<std::vector<Listed>> {
    std::vector<Listed> listed;
    int status = list_tables(listed);
    if (status == SQLITE_CORRUPT) {
        is_cut_short_ = true;
        accept_missing_end(connection_.get());
        status = list_tables(listed);
    }
    if (must_stop()) return stop_error();
    if (status != SQLITE_OK) return sqlite_failure(connection_.get(), status);
    return listed;
}

/// Decides what to open: the file itself, or a copy if its journal contains changes.
Status SqliteFile::find_source() {
    Result<CurrentDatabase> current = absorb_journals(path_);
    if (!current) return current.error();
    journal_left_out_ = current->left_out;
    is_copy_ = current->copy.has_value();
    scratch_ = std::move(current->copy);
    if (scratch_) return use_scratch();
    Result<PlainFile> opened = PlainFile::open(path_, PlainFile::Links::follow);
    if (!opened) return opened.error();
    file_bytes_ = static_cast<std::int64_t>(opened->info().size_bytes);
    uri_ = uri_of_open_file(opened->handle());
    file_ = *std::move(opened);
    return {};
}

Status SqliteFile::use_scratch() {
    uri_ = uri_of_open_file(scratch_->handle());
    file_bytes_ = static_cast<std::int64_t>(scratch_->size_bytes());
    return {};
}

Status SqliteFile::connect() {
    sqlite3* raw = nullptr;
    constexpr int k_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(uri_.c_str(), &raw, k_flags, nullptr);
    connection_.reset(raw);
    if (status == SQLITE_OK) status = make_safe(raw, file_bytes_);
    if (status != SQLITE_OK) return sqlite_failure(raw, status);
    return {};
}

int SqliteFile::list_tables(std::vector<Listed>& listed) {
    listed.clear();
    sqlite3_stmt* raw = nullptr;
    const char* sql =
        "SELECT name, type = 'view' FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
    int status = sqlite3_prepare_v2(connection_.get(), sql, -1, &raw, nullptr);
    const SqliteStatement statement(raw);
    if (status != SQLITE_OK) return status;
    while ((status = sqlite3_step(raw)) == SQLITE_ROW) {
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        if (name != nullptr) listed.push_back({name, sqlite3_column_int(raw, 1) != 0});
    }
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

/// Reads the columns of all tables and leaves out views that need too much memory. Leaves out all views if SQLite's memory
/// is not counted, because nothing would stop an expensive one.
Status SqliteFile::list_columns(const std::vector<Listed>& listed) {
    ViewLimit limit;
    for (const auto& [table, is_view] : listed) {
        if (must_stop()) return stop_error();
        Result<std::vector<ColumnDoc>> found = std::vector<ColumnDoc>();
        bool is_left_out = false;
        if (!is_view) {
            found = read_columns(table);
        } else if (counts_sqlite_memory()) {
            const QueryMemory memory(ViewLimit::may_continue, &limit);
            found = caught([&] { return read_columns(table); });
            is_left_out = limit.take_exceeded();
        } else {
            is_left_out = true;
        }
        if (is_left_out) {
            ++views_left_out_;
            continue;
        }
        if (!found) return found.error();
        known_.emplace(lower_case(table), Known{table, *std::move(found)});
        tables_.push_back(table);
    }
    return must_stop() ? Status(stop_error()) : Status();
}

/// Returns the columns of a table; none if it is a broken view.
std::vector<ColumnDoc> SqliteFile::read_columns(const std::string& table) {
    std::vector<ColumnDoc> found;
    auto rows = query("SELECT name, type FROM pragma_table_info(?1)");
    if (!rows) return found;
    rows->bind(1, table);
    while (rows->next()) found.push_back({std::string(rows->text(0)), std::string(rows->text(1)), ""});
    return found;
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open(const std::string& path) {
    std::shared_ptr<SqliteFile> file(new SqliteFile(path));
    if (Status found = file->find_source(); !found) return found.error();
    return connected(std::move(file));
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open_unpacked(ScratchFile unpacked, const std::string& name) {
    std::shared_ptr<SqliteFile> file(new SqliteFile(name));
    file->scratch_ = std::move(unpacked);
    if (Status used = file->use_scratch(); !used) return used.error();
    return connected(std::move(file));
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open_again() const {
    std::shared_ptr<SqliteFile> file(new SqliteFile(path_));
    file->uri_ = uri_;
    file->file_bytes_ = file_bytes_;
    return connected(std::move(file));
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::connected(std::shared_ptr<SqliteFile> file) {
    if (Status connected = file->connect(); !connected) return connected.error();
    const auto listed = file->read_schema();
    if (!listed) return listed.error();
    if (Status columns = file->list_columns(*listed); !columns) return columns.error();
    return file;
}

std::optional<std::string> SqliteFile::find_table(std::string_view name) const {
    const auto known = known_.find(lower_case(name));
    return known == known_.end() ? std::nullopt : std::optional(known->second.name);
}

const std::vector<ColumnDoc>& SqliteFile::columns(std::string_view table) const {
    static const std::vector<ColumnDoc> k_none;
    const auto known = known_.find(lower_case(table));
    return known == known_.end() ? k_none : known->second.columns;
}

std::optional<std::string> SqliteFile::find_column(std::string_view table,
                                                   std::initializer_list<std::string_view> spellings) const {
    const std::vector<ColumnDoc>& known = columns(table);
    for (const std::string_view spelling : spellings) {
        const auto found =
            std::ranges::find(known, lower_case(spelling), [](const ColumnDoc& column) { return lower_case(column.name); });
        if (found != known.end()) return found->name;
    }
    return std::nullopt;
}

Result<SqliteRows> SqliteFile::query(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int status = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    SqliteStatement statement(raw);
    if (status != SQLITE_OK && must_stop()) return stop_error();
    if (status != SQLITE_OK) return sqlite_failure(connection_.get(), status);
    return SqliteRows(std::move(statement));
}

std::string sql_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

namespace {

struct KnownTable {
    std::string_view name;
    std::string_view text;
};

/// Descriptions of the tables of profilers. The details are in the documentation of their makers.
constexpr std::array k_known_tables = {
    KnownTable{"STRING_IDS", "Every text of the file; the other tables hold its id."},
    KnownTable{"PYTORCH_API", "Operations of PyTorch with start and end (ns), thread, shapes and call chain."},
    KnownTable{"CONNECTION_IDS", "Which operation led to which task: PYTORCH_API.connectionId is its id."},
    KnownTable{"PYTORCH_CALLCHAINS", "The Python stacks of operations, one row per frame; stackDepth 0 is the innermost."},
    KnownTable{"MEMORY_RECORD", "Totals of each allocator after each of its events."},
    KnownTable{"OP_MEMORY", "One row for each block allocated during the profile: size, times (ns), totals."},
    KnownTable{"RANK_DEVICE_MAP", "Which rank used which device."},
    KnownTable{"STEP_TIME", "The steps of the training loop."},
    KnownTable{"GC_RECORD", "When Python's garbage collector ran."},
    KnownTable{"ROCE", "RDMA network counters: rates in bytes/s and packets/s."},
    KnownTable{"NIC", "Network counters: rates in bytes/s and packets/s."},
    KnownTable{"HCCS", "Traffic between devices, bytes/s."},
    KnownTable{"PCIE", "Traffic with the host, bytes/s."},
    KnownTable{"HBM", "Traffic with the device's memory, bytes/s."},
    KnownTable{"AICORE_FREQ", "Clock of the cores, MHz."},
    KnownTable{"TASK", "What ran on the device: start and end (ns), stream."},
    KnownTable{"COMPUTE_TASK_INFO", "Kernels by globalTaskId: name, type, shapes."},
    KnownTable{"COMMUNICATION_OP", "Collective operations."},
    KnownTable{"CANN_API", "Calls of the runtime below PyTorch."},
    KnownTable{"NPU_MEM", "Memory of the process ('app') and the device over time."},
    KnownTable{"NPU_MODULE_MEM", "Reserved memory of each component of the runtime over time."},
    KnownTable{"NPU_OP_MEM", "Allocations and releases of the graph engine, with addresses."},
    KnownTable{"NPU_INFO", "Names of the devices."},
    KnownTable{"META_DATA", "What the profiler recorded about the run."},
    KnownTable{"SESSION_TIME_INFO", "Start and end of the profile (ns)."},
    KnownTable{"weight_entries", "The model's parameters with their gradients."},
    KnownTable{"activation_entries", "What operations keep for the backward pass, the last operation first."},
    KnownTable{"run_time_entries", "Operations with their times, in forward order."},
    KnownTable{"stack_correlation", "Which stack belongs to which entry."},
    KnownTable{"stack_frames", "The frames of each entry; ordering 0 is the innermost."},
    KnownTable{"entry_types", "The meaning of entry_type."},
    KnownTable{"misc_sizes", "Other sizes, such as the peak."},
};

std::string describe_table(const std::string& name, const std::string& schema, bool needs_schema) {
    const auto* known =
        std::ranges::find(k_known_tables, lower_case(name), [](const KnownTable& table) { return lower_case(table.name); });
    std::string text = known == k_known_tables.end() ? "A table of the file." : std::string(known->text);
    if (needs_schema) text += fmt::format(" Write {}. before its name, because another table has the same name.", schema);
    return text;
}

}  // namespace

Status attach_file(sqlite3* connection, const AttachedFile& attached) {
    const SqliteFile& file = *attached.file;
    if (file.is_cut_short()) sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    sqlite3_stmt* raw = nullptr;
    int status = sqlite3_prepare_v2(connection, "ATTACH DATABASE ?1 AS ?2", -1, &raw, nullptr);
    if (status == SQLITE_OK) {
        sqlite3_bind_text64(raw, 1, file.uri().data(), file.uri().size(), SQLITE_STATIC, SQLITE_UTF8);
        sqlite3_bind_text64(raw, 2, attached.schema.data(), attached.schema.size(), SQLITE_STATIC, SQLITE_UTF8);
        sqlite3_step(raw);
        status = sqlite3_finalize(raw);
    }
    if (status != SQLITE_OK)
        return Error{ErrorCode::bad_file, fmt::format("cannot be queried: {}", sqlite3_errmsg(connection))};
    const std::string settings = fmt::format("PRAGMA {}.cell_size_check = 1", attached.schema);
    sqlite3_exec(connection, settings.c_str(), nullptr, nullptr, nullptr);
    return {};
}

Status create_views(sqlite3* connection, const std::vector<SqlView>& views) {
    for (const SqlView& view : views) {
        // SQLite allows only temporary views to refer to another database.
        const std::string sql = fmt::format("CREATE TEMP VIEW {} AS {}", view.doc.name, view.select);
        const int status = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
        if (status == SQLITE_NOMEM) throw std::bad_alloc();
        if (status != SQLITE_OK)
            return Error{
                ErrorCode::bad_file, fmt::format("cannot be queried: {}", sqlite3_errmsg(connection)), {}, view.doc.name};
    }
    return {};
}

std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before) {
    const SqliteFile& file = *attached.file;
    const std::string& schema = attached.schema;
    const std::string file_name = std::filesystem::path(file.path()).filename().string();
    std::vector<TableDoc> docs;
    std::set<std::string> taken;
    for (const TableDoc& table : before) taken.insert(lower_case(table.name));
    for (const std::string& name : file.tables()) {
        const bool is_taken = taken.contains(lower_case(name));
        const bool is_plain =
            std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
        const std::string written = is_plain ? name : sql_name(name);
        TableDoc doc{is_taken ? schema + "." + written : written,
                     describe_table(name, schema, is_taken),
                     file.columns(name),
                     true,
                     schema,
                     file_name};
        docs.push_back(std::move(doc));
    }
    return docs;
}

}  // namespace snapviewer::sqlite
