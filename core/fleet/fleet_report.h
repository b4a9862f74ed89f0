#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"

namespace snapviewer {

/// All rows of a fleet and its findings as JSON, for scripts; docs/fleets.md describes the keys.
nlohmann::ordered_json fleet_json(const Fleet& fleet);

/// The facts known of the files before they are read, with the columns of the table `ranks`. For scripts that distribute the
/// files over machines.
nlohmann::ordered_json fleet_files_json(std::span<const FleetFile> files);

/// One line of the text report.
struct FleetLine {
    /// Indentation level: 0 for a statement, 1 for a rank or stack that it lists, 2 for the stacks that cause a difference.
    std::size_t depth = 0;
    std::string text;              ///< One line, without control characters for terminals; empty between two sections.
    const RankRow* row = nullptr;  ///< The rank that the line is about, or nullptr; points into `fleet`.
};

/// The text report, without ordinary ranks: the median, the ranks far from it and the stacks that cause this, growth, ranks
/// that ran out of memory, and unreadable files. Lists at most 20 lines of each kind.
std::vector<FleetLine> fleet_lines(const Fleet& fleet);
/// Joins the lines of the report into one text.
std::string fleet_text(const Fleet& fleet);

}  // namespace snapviewer
