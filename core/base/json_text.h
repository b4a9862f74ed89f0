#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace snapviewer {

// Conversions between text and JSON values, for everything but trace files (core/load has a scanner of its own). The
// templates of the library for both directions are large, and only this file compiles them.

/// Maximum nesting depth of JSON text. Deeper values are rejected, because writing, copying and comparing a value recurse at
/// each level.
constexpr int k_json_depth_limit = 64;

/// Parses JSON text. Returns a value with is_discarded() if the text is not valid JSON or is nested too deeply.
nlohmann::json parse_json(std::string_view text);
/// Parses like parse_json(), but keeps the order of keys in objects.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// Serialises a value in one line, or indented by `spaces` for each level if that is not negative. Bytes that are not UTF-8
/// become U+FFFD.
std::string json_text(const nlohmann::json& value, int spaces = -1);
std::string json_text(const nlohmann::ordered_json& value, int spaces = -1);

}  // namespace snapviewer
