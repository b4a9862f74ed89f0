#include "core/query/functions.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {
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

struct Function {
    const char* name;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
};

constexpr std::array k_sql_functions = {
    Function{"human", sqlite_callback<call<human>>},
    Function{"address", sqlite_callback<call<address>>},
    Function{"duration", sqlite_callback<call<format_duration_us>>},
    Function{"wall_clock", sqlite_callback<call<format_wall_clock_us>>},
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
    for (const Function& function : k_sql_functions) {
        const int status =
            sqlite3_create_function_v2(connection, function.name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                       nullptr, function.call, nullptr, nullptr, nullptr);
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

}  // namespace snapviewer
