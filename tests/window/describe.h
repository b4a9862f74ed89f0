#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

// The state of the window as JSON; docs/state-file.md describes its keys. Each feature whose state a test reads has an
// overload of describe(), which adds the feature's keys to the report.

namespace snapviewer {

class Application;
struct Session;

}  // namespace snapviewer

namespace snapviewer::window_test {

using JsonValue = nlohmann::json;

/// Maximum number of rows of most lists in the report.
inline constexpr std::size_t k_reported_rows = 20;

/// The state of the window and of all its features.
JsonValue describe(const Application& application);

}  // namespace snapviewer::window_test
