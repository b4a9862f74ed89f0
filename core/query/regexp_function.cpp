#include "core/query/regexp_function.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/base/expression.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {
namespace {

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
    Result<Expression> made = Expression::compile(text, Expression::Letters::either_case);
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
    if (expression->is_too_much_for(text))
        sqlite3_result_error(
            context,
            fmt::format("the regular expression has too many repetitions for a text of {} bytes", text.size()).c_str(), -1);
    else
        sqlite3_result_int(context, expression->is_in(text) ? 1 : 0);
}

}  // namespace

int create_regexp(sqlite3* connection) {
    return sqlite3_create_function_v2(connection, "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                      nullptr, sqlite_callback<call_regexp>, nullptr, nullptr, nullptr);
}

}  // namespace snapviewer
