#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace snapviewer {

// Between text and JSON values, for all but the files of traces (core/load has a scanner of its own). The library's
// templates for both are large, and are compiled here alone.

/// What is nested deeper is no JSON to us: what writes, copies and compares a value calls itself at each level.
constexpr int k_json_depth_limit = 64;

/// The value of a JSON text; one with is_discarded() if it is none.
nlohmann::json parse_json(std::string_view text);
/// The same with the keys of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// In one line, or laid out with so many spaces for each level. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::json& value, int spaces = -1);
std::string json_text(const nlohmann::ordered_json& value, int spaces = -1);

}  // namespace snapviewer
