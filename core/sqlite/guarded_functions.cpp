#include "core/sqlite/guarded_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sqlite/connection.h"

namespace snapviewer {
namespace {

/// Calls a built-in function of SQLite on a private connection, for functions that replace the built-in one of the same name
/// and therefore cannot call it on their own connection. One thread at a time. A call takes about a microsecond.
class PlainFunction {
public:
    explicit PlainFunction(std::string name) : name_(std::move(name)) {}

    /// Calls the function and sets its result in `context`: a value, including whether a text is JSON, or an error. Values
    /// are limited in length as on the connection of `context`. If `takes_json` is true, values that are JSON are passed to
    /// the function as JSON.
    void answer(sqlite3_context* context, std::span<sqlite3_value*> values, bool takes_json = false);

private:
    sqlite3_stmt* prepared(const std::string& sql);
    std::string call_of(std::span<sqlite3_value*> values, bool takes_json) const;

    std::string name_;
    SqliteConnection connection_;
    std::map<std::string, SqliteStatement> statements_;  ///< prepared statements by their SQL
};

constexpr unsigned k_json = 'J';  // subtype that the JSON functions of SQLite give to their results

void PlainFunction::answer(sqlite3_context* context, std::span<sqlite3_value*> values, bool takes_json) {
    sqlite3_stmt* statement = prepared(call_of(values, takes_json));
    if (statement == nullptr) {
        if (connection_ == nullptr || sqlite3_errcode(connection_.get()) == SQLITE_NOMEM)
            return sqlite3_result_error_nomem(context);
        return sqlite3_result_error(context, sqlite3_errmsg(connection_.get()), -1);
    }
    sqlite3_limit(connection_.get(), SQLITE_LIMIT_LENGTH,
                  sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
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

/// Returns the SQL of a call. Binding a value drops its JSON subtype, so json() restores it.
std::string PlainFunction::call_of(std::span<sqlite3_value*> values, bool takes_json) const {
    std::string sql = "SELECT " + name_ + "(";
    for (sqlite3_value* value : values) {
        if (sql.back() != '(') sql += ',';
        sql += takes_json && sqlite3_value_subtype(value) == k_json ? "json(?)" : "?";
    }
    return sql + ")";
}

sqlite3_stmt* PlainFunction::prepared(const std::string& sql) {
    SqliteStatement& statement = statements_[sql];
    if (statement != nullptr) return statement.get();
    if (connection_ == nullptr) {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        connection_.reset(opened);
    }
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &made, nullptr);
    statement.reset(made);
    return made;
}

}  // namespace
namespace {

using Values = std::span<sqlite3_value*>;

/// How many characters a format asks for by its widths and precisions, whatever the values are; those of texts only cut them
/// short. Reads a format as SQLite does: * takes a value, and so does each conversion but %% and %n.
std::int64_t asked_characters(std::string_view format, Values values) {
    constexpr std::string_view k_modifiers = "-+ #!,.*l0123456789", k_texts = "szqQw", k_take_none = "%n";
    constexpr std::uint32_t k_31_bits = 0x7FFFFFFF;
    std::size_t next = 0;
    std::int64_t sum = 0;
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

void call_printf(sqlite3_context* context, int count, sqlite3_value** values) {
    const Values all(values, static_cast<std::size_t>(count));
    if (count > 0 && sqlite3_value_type(values[0]) != SQLITE_NULL) {
        const auto* format = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
        if (format == nullptr) return sqlite3_result_error_nomem(context);
        const int most = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
        if (asked_characters(format, all.subspan(1)) > most) return sqlite3_result_error_toobig(context);
    }
    static_cast<PlainFunction*>(sqlite3_user_data(context))->answer(context, all);
}

}  // namespace

int create_bounded_printf(sqlite3* connection) {
    for (const char* name : {"printf", "format"}) {
        // SQLite deletes it, also where it cannot make the function.
        const int status = sqlite3_create_function_v2(
            connection, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, new PlainFunction("printf"),
            sqlite_callback<call_printf>, nullptr, nullptr, [](void* plain) { delete static_cast<PlainFunction*>(plain); });
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

namespace {

using Values = std::span<sqlite3_value*>;

/// Steps of about a nanosecond that a call may make beyond one pass over what it is given.
constexpr std::uint64_t k_most_steps = std::uint64_t{1} << 28;
/// SQLite goes one call deeper for each name in a path.
constexpr std::size_t k_longest_path_bytes = 10'000;

constexpr std::uint64_t k_steps_a_key = 4;  // to tell it from another
constexpr std::uint64_t k_moved_bytes_a_step = 16;

std::string_view bytes_of(sqlite3_value* value) {
    const bool is_blob = sqlite3_value_type(value) == SQLITE_BLOB;
    const void* bytes = is_blob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

/// Each path is looked up from the start.
bool are_paths_within(Values values) {
    if (values.size() < 2) return true;
    std::uint64_t size = 0;
    for (sqlite3_value* value : values) size += bytes_of(value).size();
    return size * (values.size() - 1) <= k_most_steps;
}

/// After the JSON itself stand paths, or paths with a value each.
bool has_long_path(Values values, bool has_pairs) {
    for (std::size_t i = 1; i < values.size(); i += has_pairs ? 2 : 1) {
        if (bytes_of(values[i]).size() > k_longest_path_bytes) return true;
    }
    return false;
}

/// Each key of the patch is looked for among those of the target, and makes room there. A blob has no colons; its keys have
/// two bytes at least.
bool is_patch_within(Values values) {
    const auto keys = [](sqlite3_value* value) -> std::uint64_t {
        const std::string_view bytes = bytes_of(value);
        if (sqlite3_value_type(value) == SQLITE_BLOB) return bytes.size() / 2;
        return static_cast<std::uint64_t>(std::ranges::count(bytes, ':'));
    };
    if (values.size() != 2) return true;
    const std::uint64_t each = keys(values[0]) * k_steps_a_key + bytes_of(values[0]).size() / k_moved_bytes_a_step;
    return keys(values[1]) * each <= k_most_steps;
}

/// Each character that is no digit is looked for among those to leave out.
bool is_unhex_within(Values values) {
    return values.size() != 2 || bytes_of(values[0]).size() * bytes_of(values[1]).size() <= k_most_steps;
}

struct Guarded {
    std::string_view name;
    int arguments;
    bool (*is_within)(Values);
    bool has_paths = false;
    bool takes_json = false;  ///< as values, one after each path
};

constexpr std::array k_guarded = {
    Guarded{"json_array_insert", -1, are_paths_within, true, true},
    Guarded{"json_extract", -1, are_paths_within, true},
    Guarded{"json_insert", -1, are_paths_within, true, true},
    Guarded{"json_patch", 2, is_patch_within},
    Guarded{"json_remove", -1, are_paths_within, true},
    Guarded{"json_replace", -1, are_paths_within, true, true},
    Guarded{"json_set", -1, are_paths_within, true, true},
    Guarded{"jsonb_array_insert", -1, are_paths_within, true, true},
    Guarded{"jsonb_extract", -1, are_paths_within, true},
    Guarded{"jsonb_insert", -1, are_paths_within, true, true},
    Guarded{"jsonb_patch", 2, is_patch_within},
    Guarded{"jsonb_remove", -1, are_paths_within, true},
    Guarded{"jsonb_replace", -1, are_paths_within, true, true},
    Guarded{"jsonb_set", -1, are_paths_within, true, true},
    Guarded{"unhex", 2, is_unhex_within},
};

/// Those that this SQLite has.
const std::vector<Guarded>& guarded_here() {
    static const std::vector<Guarded> here = [] {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        const SqliteConnection connection(opened);
        std::vector<Guarded> found;
        for (const Guarded& guarded : k_guarded) {
            sqlite3_stmt* made = nullptr;
            const std::string sql = fmt::format("SELECT {}({})", guarded.name, guarded.arguments == 2 ? "1,2" : "1,2,3");
            const int status = sqlite3_prepare_v2(opened, sql.c_str(), -1, &made, nullptr);
            if (const SqliteStatement statement(made); status == SQLITE_OK) found.push_back(guarded);
        }
        return found;
    }();
    return here;
}

struct GuardedFunction {
    const Guarded& guarded;
    PlainFunction plain{std::string(guarded.name)};
};

void call_guarded(sqlite3_context* context, int count, sqlite3_value** given) {
    auto& function = *static_cast<GuardedFunction*>(sqlite3_user_data(context));
    const Guarded& guarded = function.guarded;
    const Values values(given, static_cast<std::size_t>(count));
    const bool is_long = guarded.has_paths && has_long_path(values, guarded.takes_json);
    if (is_long || !guarded.is_within(values)) {
        const std::string message = fmt::format("{}() would take too long: the {}", guarded.name,
                                                is_long ? "path is too long" : "arguments are too long");
        return sqlite3_result_error(context, message.c_str(), static_cast<int>(message.size()));
    }
    function.plain.answer(context, values, guarded.takes_json);
}

int flags() {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE;
#ifdef SQLITE_RESULT_SUBTYPE
    flags |= SQLITE_RESULT_SUBTYPE;
#endif
    return flags;
}

}  // namespace

int create_guarded_functions(sqlite3* connection) {
    for (const Guarded& guarded : guarded_here()) {
        // SQLite deletes it, also where it cannot make the function.
        const int status =
            sqlite3_create_function_v2(connection, std::string(guarded.name).c_str(), guarded.arguments, flags(),
                                       new GuardedFunction{guarded}, sqlite_callback<call_guarded>, nullptr, nullptr,
                                       [](void* function) { delete static_cast<GuardedFunction*>(function); });
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

}  // namespace snapviewer
