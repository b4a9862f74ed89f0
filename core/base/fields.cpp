#include "core/base/fields.h"

#include <nlohmann/json.hpp>

namespace snapviewer {

const char* sql_type(FieldUnit unit) {
    switch (unit) {
        case FieldUnit::number: return "REAL";
        case FieldUnit::text: return "TEXT";
        default: return "INTEGER";
    }
}

Cell to_cell(FieldValue value) {
    if (auto* text = std::get_if<std::string>(&value)) return std::move(*text);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<std::int64_t>(*number);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag ? 1 : 0};
    return {};
}

void put_value(nlohmann::ordered_json& object, const char* key, FieldValue value) {
    nlohmann::ordered_json& json = object[key];
    const auto put = [&json](auto& held) {
        if constexpr (!std::is_same_v<decltype(held), std::monostate&>) json = std::move(held);
    };
    std::visit(put, value);
}

}  // namespace snapviewer
