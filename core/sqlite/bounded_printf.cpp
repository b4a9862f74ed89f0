#include "core/sqlite/bounded_printf.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/sqlite/plain_function.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {
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

}  // namespace snapviewer
