#include "core/query/parameters.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace snapviewer {
namespace {

int bind_cell(sqlite3_stmt* statement, int index, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return sqlite3_bind_int64(statement, index, *integer);
    if (const auto* real = std::get_if<double>(&cell)) return sqlite3_bind_double(statement, index, *real);
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return sqlite3_bind_null(statement, index);
    return sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters) {
    if (parameters.empty()) return {};
    for (int index = 1; index <= sqlite3_bind_parameter_count(statement); ++index) {
        const char* name = sqlite3_bind_parameter_name(statement, index);
        const auto known =
            std::ranges::find(parameters, std::string_view(name == nullptr ? "?" : name), &QueryParameter::name);
        if (known == parameters.end()) {
            std::string names;
            for (const QueryParameter& each : parameters) names += (names.empty() ? "" : ", ") + each.name;
            return Error{ErrorCode::bad_query,
                         fmt::format("there is no parameter {}; there are {}", name == nullptr ? "?" : name, names)};
        }
        bind_cell(statement, index, known->value);
    }
    return {};
}

Status bind_every_parameter(sqlite3_stmt* statement, std::span<const QueryParameter> parameters) {
    std::vector<bool> is_used(parameters.size());
    for (int index = 1; index <= sqlite3_bind_parameter_count(statement); ++index) {
        const char* spelled = sqlite3_bind_parameter_name(statement, index);
        const std::string name = spelled == nullptr ? fmt::format("?{}", index) : spelled;
        const auto found = std::ranges::find(parameters, name, &QueryParameter::name);
        if (found == parameters.end())
            return Error{ErrorCode::bad_query, fmt::format("the parameter {} has no value", name)};
        is_used[static_cast<std::size_t>(found - parameters.begin())] = true;
        if (bind_cell(statement, index, found->value) != SQLITE_OK)
            return Error{ErrorCode::bad_query, fmt::format("the value of the parameter {} is too long", name)};
    }
    const auto unused = std::ranges::find(is_used, false);
    if (unused == is_used.end()) return {};
    const std::string& name = parameters[static_cast<std::size_t>(unused - is_used.begin())].name;
    return Error{ErrorCode::bad_query, fmt::format("the query has no parameter {}", name)};
}

}  // namespace snapviewer
