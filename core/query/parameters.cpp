#include "core/query/parameters.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {
namespace {

int bind_cell(sqlite3_stmt* statement, int index, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return sqlite3_bind_int64(statement, index, *integer);
    if (const auto* real = std::get_if<double>(&cell)) return sqlite3_bind_double(statement, index, *real);
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return sqlite3_bind_null(statement, index);
    return sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
}

Error no_value(std::string_view spelled, std::span<const QueryParameter> parameters) {
    std::string names;
    for (const QueryParameter& each : parameters) names += (names.empty() ? "" : ", ") + each.name;
    const std::string there_are = names.empty() ? "no values were given" : "values were given for " + names;
    return Error{ErrorCode::bad_query, fmt::format("the parameter {} has no value; {}", spelled, there_are)};
}

}  // namespace

Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters, UnusedValues unused) {
    std::vector<bool> is_used(parameters.size());
    for (int index = 1; index <= sqlite3_bind_parameter_count(statement); ++index) {
        const char* name = sqlite3_bind_parameter_name(statement, index);  // ":step" or "?5"; null for a plain "?"
        const std::string spelled = name == nullptr ? fmt::format("?{}", index) : name;
        const auto is_meant = [&](const QueryParameter& each) {
            return each.name == spelled || each.name == std::string_view(spelled).substr(1);
        };
        const auto found = std::ranges::find_if(parameters, is_meant);
        if (found == parameters.end()) return no_value(spelled, parameters);
        is_used[static_cast<std::size_t>(found - parameters.begin())] = true;
        if (bind_cell(statement, index, found->value) != SQLITE_OK)
            return Error{ErrorCode::bad_query, fmt::format("the value of the parameter {} is too long", spelled)};
    }
    const auto left = std::ranges::find(is_used, false);
    if (unused == UnusedValues::ignored || left == is_used.end()) return {};
    const std::string& name = parameters[static_cast<std::size_t>(left - is_used.begin())].name;
    return Error{ErrorCode::bad_query, fmt::format("the query has no parameter called {}", name)};
}

}  // namespace snapviewer
