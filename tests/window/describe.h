#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

// The state of the window as JSON; docs/state-file.md describes its keys. Each feature whose state a test reads has an
// overload of describe(), which adds the feature's keys to the report.

namespace snapviewer {

class Application;
class AllocationList;
class BlockNames;
class Navigation;
class Notes;
class PaletteFiller;
class Pictures;
class PinsPage;
class Queries;
class SearchBar;
class SeriesRuns;
class ViewHistory;
class WhatIfRuns;
struct Session;

}  // namespace snapviewer

namespace snapviewer::window_test {

using JsonValue = nlohmann::json;

/// Maximum number of rows of most lists in the report.
inline constexpr std::size_t k_reported_rows = 20;

/// Adds the state of the window and of all its features. Precondition: `report` has the rectangles of the items on the
/// screen, `rects`.
void describe(const Application& application, JsonValue& report);

void describe(const AllocationList&, const Session&, JsonValue& report);
void describe(const BlockNames&, const Session&, JsonValue& report);
void describe(const Navigation&, const Session&, JsonValue& report);
void describe(const Notes&, const Session&, JsonValue& report);
void describe(const PaletteFiller&, const Session&, JsonValue& report);
void describe(const Pictures&, const Session&, JsonValue& report);
void describe(const PinsPage&, const Session&, JsonValue& report);
void describe(const Queries&, const Session&, JsonValue& report);
void describe(const SearchBar&, const Session&, JsonValue& report);
void describe(const SeriesRuns&, const Session&, JsonValue& report);
void describe(const ViewHistory&, const Session&, JsonValue& report);
void describe(const WhatIfRuns&, const Session&, JsonValue& report);

}  // namespace snapviewer::window_test
