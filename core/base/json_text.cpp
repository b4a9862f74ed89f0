#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace snapviewer {
namespace {

template <typename Json>
Json parse(std::string_view text) {
    bool is_too_deep = false;
    const auto look = [&](int depth, typename Json::parse_event_t, Json&) {
        is_too_deep |= depth > k_json_depth_limit;
        return !is_too_deep;
    };
    Json value = Json::parse(text, look, false);
    return is_too_deep ? Json(nlohmann::detail::value_t::discarded) : value;
}

template <typename Json>
std::string text_of(const Json& value, int spaces) {
    return value.dump(spaces, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) { return parse<nlohmann::json>(text); }
nlohmann::ordered_json parse_ordered_json(std::string_view text) { return parse<nlohmann::ordered_json>(text); }
std::string json_text(const nlohmann::json& value, int spaces) { return text_of(value, spaces); }
std::string json_text(const nlohmann::ordered_json& value, int spaces) { return text_of(value, spaces); }

}  // namespace snapviewer
