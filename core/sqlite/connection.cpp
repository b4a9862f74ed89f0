#include "core/sqlite/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/system/memory.h"
#include "core/system/threads.h"

namespace snapviewer::sqlite {
namespace {

/// Built-in functions of SQLite 3.40 to 3.50 that queries and views of untrusted files may call: their time grows with the
/// lengths of their arguments and results, or k_guards limits it. Missing are functions that write, load code, read tables
/// of modules, or sort within one call, and json_pretty, which indents by the depth.
// clang-format off
constexpr std::array<std::string_view, 137> k_allowed = {
    "->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling", "changes",
    "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist", "current_date", "current_time",
    "current_timestamp", "date", "datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format", "glob",
    "group_concat", "hex", "if", "ifnull", "iif", "instr", "json", "json_array", "json_array_insert",
    "json_array_length", "json_error_position", "json_extract", "json_group_array", "json_group_object", "json_insert",
    "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid",
    "jsonb", "jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_group_array", "jsonb_group_object",
    "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set", "julianday", "lag",
    "last_insert_rowid", "last_value", "lead", "length", "like", "likelihood", "likely", "ln", "log", "log10", "log2",
    "lower", "ltrim", "max", "min", "mod", "nth_value", "ntile", "nullif", "octet_length", "percent_rank", "pi", "pow",
    "power", "printf", "quote", "radians", "random", "randomblob", "rank", "replace", "round", "row_number", "rtrim",
    "sign", "sin", "sinh", "soundex", "sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id",
    "sqlite_version", "sqrt", "strftime", "string_agg", "substr", "substring", "subtype", "sum", "tan", "tanh", "time",
    "timediff", "total", "total_changes", "trim", "trunc", "typeof", "unhex", "unicode", "unistr", "unistr_quote",
    "unixepoch", "unlikely", "upper", "zeroblob"};
// clang-format on
static_assert(std::ranges::is_sorted(k_allowed));

/// SQLite authorizer for connections without another one.
int authorize_function(void*, int action, const char*, const char* function, const char*, const char*) {
    return action != SQLITE_FUNCTION || may_call(function) ? SQLITE_OK : SQLITE_DENY;
}

using Values = std::span<sqlite3_value*>;

/// Maximum number of steps of one call. A step takes 1 to 2 ns, so a call takes at most 0.3 s.
constexpr std::uint64_t k_max_steps = std::uint64_t{1} << 27;
/// Maximum length of a path into JSON. SQLite makes a nested call for each name in it.
constexpr std::size_t k_max_path_bytes = 10'000;

std::string_view bytes_of(sqlite3_value* value) {
    const bool is_blob = sqlite3_value_type(value) == SQLITE_BLOB;
    const void* bytes = is_blob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

/// Number of steps of a function that compares every character of the first value with every character of the second.
std::uint64_t steps_of_product(Values values) {
    return std::uint64_t{bytes_of(values[0]).size()} * bytes_of(values[1]).size();
}

/// Number of steps of a search for the second value at every offset of the first, by memcmp().
std::uint64_t steps_of_search(Values values) {
    constexpr std::uint64_t k_compared_bytes_a_step = 16;
    return bytes_of(values[0]).size() * (1 + bytes_of(values[1]).size() / k_compared_bytes_a_step);
}

/// Number of steps for paths into JSON. SQLite follows each path from the start.
std::uint64_t steps_of_paths(Values values) {
    std::uint64_t size = 0;
    for (sqlite3_value* value : values) size += bytes_of(value).size();
    return values.size() < 2 ? 0 : size * (values.size() - 1);
}

/// Number of steps of json_patch, which compares each key of the patch with the keys of the target and then moves the rest
/// of it. Keys are counted by their colons; a blob has no colons, and its keys take at least two bytes.
std::uint64_t steps_of_patch(Values values) {
    constexpr std::uint64_t k_steps_a_key = 4, k_moved_bytes_a_step = 16;
    const auto keys = [](sqlite3_value* value) -> std::uint64_t {
        const std::string_view bytes = bytes_of(value);
        if (sqlite3_value_type(value) == SQLITE_BLOB) return bytes.size() / 2;
        return static_cast<std::uint64_t>(std::ranges::count(bytes, ':'));
    };
    return keys(values[1]) * (keys(values[0]) * k_steps_a_key + bytes_of(values[0]).size() / k_moved_bytes_a_step);
}

/// Number of characters that the widths and precisions of a printf format request for any values. SQLite writes them all
/// before it checks the length of the result. The precision of a text only shortens it, so it does not count. Reads a format
/// as SQLite does: * takes a value, and so does each conversion except %% and %n.
std::uint64_t steps_of_printf(Values values) {
    constexpr std::string_view k_modifiers = "-+ #!,.*l0123456789", k_texts = "szqQw", k_take_none = "%n";
    constexpr std::uint32_t k_31_bits = 0x7FFFFFFF;
    const std::string_view format = values.empty() ? std::string_view() : bytes_of(values[0]);
    std::size_t next = 1;
    std::uint64_t sum = 0;
    for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 1)) {
        std::uint32_t width = 0, precision = 0;
        std::uint32_t* number = &width;
        for (++at; at < format.size() && k_modifiers.find(format[at]) != std::string_view::npos; ++at) {
            if (format[at] == '.') number = &precision;
            if (format[at] >= '0' && format[at] <= '9')
                *number = *number * 10 + static_cast<std::uint32_t>(format[at] - '0');
            if (format[at] != '*') continue;
            const auto given = next < values.size() ? static_cast<std::int32_t>(sqlite3_value_int64(values[next++])) : 0;
            *number = static_cast<std::uint32_t>(std::abs(std::int64_t{given}));
        }
        if (at >= format.size()) break;
        sum += width & k_31_bits;
        if (k_texts.find(format[at]) == std::string_view::npos) sum += precision & k_31_bits;
        if (k_take_none.find(format[at]) == std::string_view::npos) ++next;
    }
    return sum;
}

bool match_like(const char* pattern, const char* text) { return sqlite3_strlike(pattern, text, 0) == 0; }
bool match_glob(const char* pattern, const char* text) { return sqlite3_strglob(pattern, text) == 0; }

/// Limits the time of a built-in function whose time grows with the product of two lengths.
struct Guard {
    std::string_view name;
    int arguments;  ///< number of arguments; -1 for any number
    std::uint64_t (*steps)(Values);
    bool has_paths = false;
    bool takes_json = false;  ///< true if each path is followed by a value, which may be JSON
    /// Shortcut for two texts; null if there is none.
    bool (*match)(const char* pattern, const char* text) = nullptr;
};

constexpr std::array k_guards = {
    Guard{"format", -1, steps_of_printf},
    Guard{"glob", 2, steps_of_product, false, false, match_glob},
    Guard{"instr", 2, steps_of_search},
    Guard{"json_array_insert", -1, steps_of_paths, true, true},
    Guard{"json_extract", -1, steps_of_paths, true},
    Guard{"json_insert", -1, steps_of_paths, true, true},
    Guard{"json_patch", 2, steps_of_patch},
    Guard{"json_remove", -1, steps_of_paths, true},
    Guard{"json_replace", -1, steps_of_paths, true, true},
    Guard{"json_set", -1, steps_of_paths, true, true},
    Guard{"jsonb_array_insert", -1, steps_of_paths, true, true},
    Guard{"jsonb_extract", -1, steps_of_paths, true},
    Guard{"jsonb_insert", -1, steps_of_paths, true, true},
    Guard{"jsonb_patch", 2, steps_of_patch},
    Guard{"jsonb_remove", -1, steps_of_paths, true},
    Guard{"jsonb_replace", -1, steps_of_paths, true, true},
    Guard{"jsonb_set", -1, steps_of_paths, true, true},
    Guard{"like", 2, steps_of_product, false, false, match_like},
    Guard{"like", 3, steps_of_product},
    Guard{"ltrim", 2, steps_of_product},
    Guard{"printf", -1, steps_of_printf},
    Guard{"replace", 3, steps_of_search},
    Guard{"rtrim", 2, steps_of_product},
    Guard{"trim", 2, steps_of_product},
    Guard{"unhex", 2, steps_of_product},
};

bool has_long_path(Values values, bool has_pairs) {
    for (std::size_t i = 1; i < values.size(); i += has_pairs ? 2 : 1) {
        if (bytes_of(values[i]).size() > k_max_path_bytes) return true;
    }
    return false;
}

/// A function that replaces a built-in one of the same name. It refuses arguments that would take too long, and otherwise
/// calls the built-in function on a private connection, because its own connection has only the replacement. One thread at a
/// time. A call takes about a microsecond more than the built-in function.
class GuardedFunction {
public:
    GuardedFunction(const Guard& guard, SqliteControl& control) : guard_(guard), control_(control) {}

    void answer(sqlite3_context* context, Values values) {
        if (control_.must_end()) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
        const bool is_long = guard_.has_paths && has_long_path(values, guard_.takes_json);
        if (is_long || guard_.steps(values) > k_max_steps) {
            const std::string message = fmt::format("{}() would take too long: the {}", guard_.name,
                                                    is_long ? "path is too long" : "arguments are too long");
            return sqlite3_result_error(context, message.c_str(), static_cast<int>(message.size()));
        }
        if (!match(context, values)) call(context, values);
    }

private:
    /// Returns false if the shortcut does not apply.
    bool match(sqlite3_context* context, Values values) const;
    /// Sets the result of the built-in function: a value, including whether a text is JSON, or an error.
    void call(sqlite3_context* context, Values values);
    sqlite3_stmt* prepared(Values values);

    const Guard& guard_;
    SqliteControl& control_;
    SqliteConnection connection_;
    std::map<std::string, SqliteStatement> statements_;  ///< key: a letter for each argument, j for JSON, v for others
};

bool GuardedFunction::match(sqlite3_context* context, Values values) const {
    const auto is_text = [](sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_TEXT; };
    if (guard_.match == nullptr || !std::ranges::all_of(values, is_text)) return false;
    const int max_bytes = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
    const std::string_view pattern = bytes_of(values[0]), text = bytes_of(values[1]);
    if (pattern.data() == nullptr || text.data() == nullptr || pattern.size() > static_cast<std::size_t>(max_bytes))
        return false;
    sqlite3_result_int(context, guard_.match(pattern.data(), text.data()) ? 1 : 0);  // both texts end with a zero byte
    return true;
}

void GuardedFunction::call(sqlite3_context* context, Values values) {
    sqlite3_stmt* statement = prepared(values);
    if (statement == nullptr) {
        if (connection_ == nullptr || sqlite3_errcode(connection_.get()) == SQLITE_NOMEM)
            return sqlite3_result_error_nomem(context);
        return sqlite3_result_error(context, sqlite3_errmsg(connection_.get()), -1);
    }
    for (const int limit : {SQLITE_LIMIT_LENGTH, SQLITE_LIMIT_LIKE_PATTERN_LENGTH})
        sqlite3_limit(connection_.get(), limit, sqlite3_limit(sqlite3_context_db_handle(context), limit, -1));
    int place = 0;
    int status = SQLITE_OK;
    for (sqlite3_value* value : values) {
        if (status == SQLITE_OK) status = sqlite3_bind_value(statement, ++place, value);
    }
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        sqlite3_value* result = sqlite3_column_value(statement, 0);
        sqlite3_result_value(context, result);
        if (const unsigned subtype = sqlite3_value_subtype(result); subtype != 0) sqlite3_result_subtype(context, subtype);
    } else if (status == SQLITE_ERROR) {
        sqlite3_result_error(context, sqlite3_errmsg(connection_.get()), -1);
    } else {
        sqlite3_result_error_code(context, status);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

/// Returns the statement that calls the function with as many values. Binding a value drops its JSON subtype, so json()
/// restores it.
sqlite3_stmt* GuardedFunction::prepared(Values values) {
    constexpr unsigned k_json = 'J';  // subtype that the JSON functions of SQLite give to their results
    std::string key;
    for (sqlite3_value* value : values) key += guard_.takes_json && sqlite3_value_subtype(value) == k_json ? 'j' : 'v';
    SqliteStatement& statement = statements_[key];
    if (statement != nullptr) return statement.get();
    if (connection_ == nullptr) {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        connection_.reset(opened);
    }
    std::string sql = fmt::format("SELECT {}(", guard_.name);
    for (const char kind : key) sql += fmt::format("{}{}", sql.back() == '(' ? "" : ",", kind == 'j' ? "json(?)" : "?");
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(connection_.get(), (sql + ")").c_str(), -1, &made, nullptr);
    statement.reset(made);
    return made;
}

void call_guarded(sqlite3_context* context, int count, sqlite3_value** values) {
    static_cast<GuardedFunction*>(sqlite3_user_data(context))->answer(context, {values, static_cast<std::size_t>(count)});
}

/// The guards of functions that the linked SQLite has.
const std::vector<Guard>& known_guards() {
    static const std::vector<Guard> known = [] {
        sqlite3* opened = nullptr;
        const int status_of_open = sqlite3_open(":memory:", &opened);
        const SqliteConnection connection(opened);
        // Opening a database in memory fails only for lack of memory.
        if (status_of_open != SQLITE_OK) throw std::bad_alloc();
        std::vector<Guard> found;
        for (const Guard& guard : k_guards) {
            sqlite3_stmt* made = nullptr;
            const std::string sql = fmt::format("SELECT {}({})", guard.name, guard.arguments == 2 ? "1,2" : "1,2,3");
            const int status = sqlite3_prepare_v2(opened, sql.c_str(), -1, &made, nullptr);
            const SqliteStatement statement(made);
            if (status == SQLITE_NOMEM) throw std::bad_alloc();  // otherwise the guard would be missing from now on
            if (status == SQLITE_OK) found.push_back(guard);
        }
        return found;
    }();
    return known;
}

constexpr int k_guarded_flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE
#ifdef SQLITE_RESULT_SUBTYPE
                                | SQLITE_RESULT_SUBTYPE
#endif
    ;

bool matches(const std::string& text, const std::string& pattern, bool (*match)(const char*, const char*)) {
    if (std::uint64_t{text.size()} * pattern.size() > k_max_steps) throw std::length_error("pattern");
    return match(pattern.c_str(), text.c_str());
}

}  // namespace

void set_limits(sqlite3* connection, const SqliteLimits& limits) {
    constexpr std::array k_for_all = {std::pair(SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
                                      std::pair(SQLITE_LIMIT_EXPR_DEPTH, 200),
                                      std::pair(SQLITE_LIMIT_COMPOUND_SELECT, 100),
                                      std::pair(SQLITE_LIMIT_VDBE_OP, 1 << 20),
                                      std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10'000),
                                      std::pair(SQLITE_LIMIT_ATTACHED, 0),
                                      std::pair(SQLITE_LIMIT_TRIGGER_DEPTH, 1),
                                      std::pair(SQLITE_LIMIT_WORKER_THREADS, 0)};
    for (const auto& [limit, value] : k_for_all) sqlite3_limit(connection, limit, value);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, limits.value_bytes);
    sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, limits.columns);
}

namespace {

constexpr int k_allocations_between_checks = 64;
constexpr std::int64_t k_bytes_between_checks = std::int64_t{1} << 20;

/// Returns the object of the calling thread. A WebAssembly program that is linked without threads does not support
/// thread_local, so it uses a static variable.
QueryMemory*& memory_of_this_thread() {
    static QueryMemory* alone = nullptr;
    thread_local QueryMemory* of_thread = nullptr;
    return has_threads() ? of_thread : alone;
}

int size_of(void* block) { return block == nullptr ? 0 : static_cast<int>(allocated_bytes(block)); }

/// Called for every allocation. SQLite does not call its progress handler while it reads a schema or compiles a statement,
/// but it always allocates, so refusing memory stops it there.
bool is_allowed(std::int64_t bytes) {
    QueryMemory* const memory = memory_of_this_thread();
    return memory == nullptr ? !must_stop() : memory->allows(bytes);
}

void* allocate(int bytes) { return is_allowed(bytes) ? charged_malloc(static_cast<std::size_t>(bytes)) : nullptr; }

void release(void* block) {
    if (QueryMemory* const memory = memory_of_this_thread()) memory->release(size_of(block));
    charged_free(block);
}

void* reallocate(void* block, int bytes) {
    return is_allowed(bytes - size_of(block)) ? charged_realloc(block, static_cast<std::size_t>(bytes)) : nullptr;
}

/// Installs the allocator, which is only possible before the first use of SQLite. If another part of the process uses SQLite
/// earlier, such as the sqlite3 module of Python, the memory of SQLite is not counted, and queries are only stopped between
/// two steps.
const bool is_installed = [] {
    sqlite3_mem_methods counted{};
    counted.xMalloc = allocate;
    counted.xFree = release;
    counted.xRealloc = reallocate;
    counted.xSize = size_of;
    counted.xRoundup = [](int bytes) { return (bytes + 7) & ~7; };
    counted.xInit = [](void*) { return SQLITE_OK; };
    counted.xShutdown = [](void*) {};
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK;
}();

}  // namespace

bool counts_sqlite_memory() { return is_installed; }

QueryMemory::QueryMemory(MayContinue may_continue, void* argument) : may_continue_(may_continue), argument_(argument) {
    assert(memory_of_this_thread() == nullptr);
    memory_of_this_thread() = this;
}

QueryMemory::~QueryMemory() { memory_of_this_thread() = nullptr; }

bool QueryMemory::allows(std::int64_t bytes) {
    taken_bytes_ += bytes;
    const bool is_due =
        ++since_check_ >= k_allocations_between_checks || taken_bytes_ - checked_at_bytes_ >= k_bytes_between_checks;
    if (is_due && !has_ended_) {
        since_check_ = 0;
        checked_at_bytes_ = taken_bytes_;
        has_ended_ = !may_continue_(argument_, taken_bytes_);
    }
    if (has_ended_) taken_bytes_ -= bytes;
    return !has_ended_;
}

bool may_call(std::string_view function) {
    // Allocates no memory, because SQLite's authorizer has no code for a lack of memory.
    const auto is_less = [](std::string_view a, std::string_view b) {
        const auto lower = [](char c) { return lower_case(c); };
        return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
    };
    return std::ranges::binary_search(k_allowed, function, is_less);
}

void refuse_other_functions(sqlite3* connection) { sqlite3_set_authorizer(connection, authorize_function, nullptr); }

void drop_foreign_modules(sqlite3* connection) {
    static constexpr std::array<const char*, 5> k_kept = {"json_each", "json_tree", "jsonb_each", "jsonb_tree", nullptr};
    // SQLite reads the list and does not change it.
    sqlite3_drop_modules(connection, const_cast<const char**>(k_kept.data()));
}

int create_guarded_functions(sqlite3* connection, SqliteControl& control) {
    for (const Guard& guard : known_guards()) {
        // SQLite deletes the object, also after an error.
        const int status =
            sqlite3_create_function_v2(connection, std::string(guard.name).c_str(), guard.arguments, k_guarded_flags,
                                       new GuardedFunction(guard, control), sqlite_callback<call_guarded>, nullptr, nullptr,
                                       [](void* function) { delete static_cast<GuardedFunction*>(function); });
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

bool is_like(const std::string& text, const std::string& pattern) { return matches(text, pattern, match_like); }
bool is_glob(const std::string& text, const std::string& pattern) { return matches(text, pattern, match_glob); }

}  // namespace snapviewer::sqlite
