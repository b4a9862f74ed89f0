#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

// The state of the window as JSON; docs/state-file.md describes its keys. Each feature whose state a test reads has an
// overload of describe(), which adds the feature's keys to the report.

namespace snapviewer {
class BlockNames;
class Pictures;
struct Session;
}  // namespace snapviewer

namespace snapviewer::address_map {
class AddressMaps;
}  // namespace snapviewer::address_map

namespace snapviewer::command_palette {
class PaletteFiller;
}  // namespace snapviewer::command_palette

namespace snapviewer::compare {
class CompareRuns;
class ComparedPictures;
}  // namespace snapviewer::compare

namespace snapviewer::details {
class SelectedDetails;
}  // namespace snapviewer::details

namespace snapviewer::files {
class FileOpener;
}  // namespace snapviewer::files

namespace snapviewer::findings {
class Answers;
}  // namespace snapviewer::findings

namespace snapviewer::fleet {
class FleetRuns;
}  // namespace snapviewer::fleet

namespace snapviewer::growth {
class GrowthPage;
}  // namespace snapviewer::growth

namespace snapviewer::kinds {
class OwnRules;
}  // namespace snapviewer::kinds

namespace snapviewer::live {
class LivePage;
}  // namespace snapviewer::live

namespace snapviewer::moments {
class MomentMarks;
}  // namespace snapviewer::moments

namespace snapviewer::navigation {
class Navigation;
class ViewHistory;
}  // namespace snapviewer::navigation

namespace snapviewer::notes {
class Notes;
}  // namespace snapviewer::notes

namespace snapviewer::pins {
class PinsPage;
}  // namespace snapviewer::pins

namespace snapviewer::query {
class Queries;
}  // namespace snapviewer::query

namespace snapviewer::search {
class SearchBar;
}  // namespace snapviewer::search

namespace snapviewer::series {
class SeriesRuns;
}  // namespace snapviewer::series

namespace snapviewer::shell {
class Application;
}  // namespace snapviewer::shell

namespace snapviewer::table {
class AllocationList;
}  // namespace snapviewer::table

namespace snapviewer::what_if {
class WhatIfRuns;
}  // namespace snapviewer::what_if

namespace snapviewer::window_test {

using JsonValue = nlohmann::json;

/// Maximum number of rows of most lists in the report.
inline constexpr std::size_t k_reported_rows = 20;

/// Adds the state of the window and of all its features. Precondition: `report` has the rectangles of the items on the
/// screen, `rects`.
void describe(const shell::Application& application, JsonValue& report);

void describe(const address_map::AddressMaps&, const Session&, JsonValue& report);
void describe(const table::AllocationList&, const Session&, JsonValue& report);
void describe(const findings::Answers&, const Session&, JsonValue& report);
void describe(const BlockNames&, const Session&, JsonValue& report);
void describe(const compare::CompareRuns&, const Session&, JsonValue& report);
void describe(const compare::ComparedPictures&, const Session&, JsonValue& report);
void describe(const files::FileOpener&, const Session&, JsonValue& report);
void describe(const fleet::FleetRuns&, const Session&, JsonValue& report);
void describe(const growth::GrowthPage&, const Session&, JsonValue& report);
void describe(const live::LivePage&, const Session&, JsonValue& report);
void describe(const moments::MomentMarks&, const Session&, JsonValue& report);
void describe(const navigation::Navigation&, const Session&, JsonValue& report);
void describe(const notes::Notes&, const Session&, JsonValue& report);
void describe(const kinds::OwnRules&, const Session&, JsonValue& report);
void describe(const command_palette::PaletteFiller&, const Session&, JsonValue& report);
void describe(const Pictures&, const Session&, JsonValue& report);
void describe(const pins::PinsPage&, const Session&, JsonValue& report);
void describe(const query::Queries&, const Session&, JsonValue& report);
void describe(const search::SearchBar&, const Session&, JsonValue& report);
void describe(const details::SelectedDetails&, const Session&, JsonValue& report);
void describe(const series::SeriesRuns&, const Session&, JsonValue& report);
void describe(const navigation::ViewHistory&, const Session&, JsonValue& report);
void describe(const what_if::WhatIfRuns&, const Session&, JsonValue& report);

}  // namespace snapviewer::window_test
