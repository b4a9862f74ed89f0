#pragma once

#include <string>
#include <string_view>

namespace snapviewer {

/// A JSON string, quotes included. Bytes that are not UTF-8 are passed on as they are.
std::string json_quoted(std::string_view text);

}  // namespace snapviewer
