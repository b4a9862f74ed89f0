#include "core/query/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/sqlite/connection.h"
#include "core/timeline/search.h"

namespace snapviewer::query {
namespace {

std::string human(std::int64_t size_bytes) {
    if (size_bytes < 0) return fmt::format("-{}", format_bytes(0 - static_cast<std::uint64_t>(size_bytes)));
    return format_bytes(static_cast<std::uint64_t>(size_bytes));
}

std::string address(std::int64_t value) { return fmt::format("{:#x}", static_cast<std::uint64_t>(value)); }

/// Implements an SQL function with a C++ function that converts a number to text. NULL stays NULL.
template <std::string (*Convert)(std::int64_t)>
void call(sqlite3_context* context, int, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    const std::string text = Convert(sqlite3_value_int64(values[0]));
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::string_view text_of(sqlite3_value* value) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return text == nullptr ? std::string_view()
                           : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

/// Returns the compiled expression, which SQLite caches as long as its text stays the same. Reports an error to SQLite and
/// returns null if the expression is invalid.
const Expression* compiled(sqlite3_context* context, sqlite3_value* value) {
    if (const void* kept = sqlite3_get_auxdata(context, 0)) return static_cast<const Expression*>(kept);
    const std::string text(text_of(value));
    Result<Expression> made = Expression::compile(text, Expression::Letters::ignore_case);
    if (!made) {
        sqlite3_result_error(context, ("the regular expression '" + text + "' " + made.error().message).c_str(), -1);
        return nullptr;
    }
    const auto drop = [](void* expression) { delete static_cast<Expression*>(expression); };
    sqlite3_set_auxdata(context, 0, std::make_unique<Expression>(*std::move(made)).release(), drop);
    return static_cast<const Expression*>(sqlite3_get_auxdata(context, 0));
}

void call_regexp(sqlite3_context* context, int, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
    const Expression* expression = compiled(context, values[0]);
    if (expression == nullptr) return;
    const std::string_view text = text_of(values[1]);
    if (expression->is_too_expensive_for(text))
        sqlite3_result_error(
            context,
            fmt::format("the regular expression has too many repetitions for a text of {} bytes", text.size()).c_str(), -1);
    else
        sqlite3_result_int(context, expression->is_in(text) ? 1 : 0);
}

struct Function {
    const char* name;
    int arguments;
    int flag;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
};

constexpr std::array k_sql_functions = {
    Function{"human", 1, SQLITE_INNOCUOUS, sqlite::sqlite_callback<call<human>>},
    Function{"address", 1, SQLITE_INNOCUOUS, sqlite::sqlite_callback<call<address>>},
    Function{"duration", 1, SQLITE_INNOCUOUS, sqlite::sqlite_callback<call<format_duration_us>>},
    Function{"wall_clock", 1, SQLITE_INNOCUOUS, sqlite::sqlite_callback<call<format_wall_clock_us>>},
    Function{"regexp", 2, SQLITE_DIRECTONLY, sqlite::sqlite_callback<call_regexp>},
};

constexpr std::array k_docs = {
    FunctionDoc{"human(bytes)", "a size in binary units: `human(1572864)` is '1.5 MiB'"},
    FunctionDoc{"address(number)", "an address in the usual hexadecimal form: '0x7f4c00000000'"},
    FunctionDoc{"duration(us)", "a duration: `duration(free_time_us - alloc_time_us)` is '12.3 ms'"},
    FunctionDoc{"wall_clock(us)", "a time in UTC: '2026-11-20 23:57:04.123456'"},
    FunctionDoc{"regexp(expression, text)",
                "1 if a regular expression (RE2 syntax, ignoring case) matches somewhere in a text; can also be written as "
                "`text REGEXP expression`"},
};

}  // namespace

std::span<const FunctionDoc> function_docs() { return k_docs; }

bool is_our_function(std::string_view name) {
    // Allocates no memory, see may_call().
    return std::ranges::any_of(k_docs, [&](const FunctionDoc& doc) {
        const std::string_view known = doc.usage.substr(0, doc.usage.find('('));
        return std::ranges::equal(known, name, {}, {}, [](char c) { return lower_case(c); });
    });
}

int create_functions(sqlite3* connection) {
    int status = SQLITE_OK;
    for (const Function& function : k_sql_functions) {
        if (status == SQLITE_OK)
            status = sqlite3_create_function_v2(connection, function.name, function.arguments,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | function.flag, nullptr, function.call,
                                                nullptr, nullptr, nullptr);
    }
    return status;
}

}  // namespace snapviewer::query
