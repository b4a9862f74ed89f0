#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/fleet/fleet.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// All that is kept of a fleet and what stands out of it, for scripts: docs/fleets.md says what it holds.
nlohmann::ordered_json fleet_json(const Fleet& fleet);

/// What is known of the files before they are read, for who shares them out: columns of the table `ranks`.
nlohmann::ordered_json fleet_files_json(std::span<const FleetFile> files);

/// A line of the report for people.
struct FleetLine {
    std::size_t depth = 0;         ///< 0 of a sentence, 1 of what it speaks of, 2 of what makes the difference there
    std::string text;              ///< without line feed and without what steers terminals; empty between two parts
    const RankRow* row = nullptr;  ///< the rank that the line is about, if it is about one; a row of `fleet`
};

/// The same for people, without what is ordinary: the median, who is far from it by which stacks, what grows, who ran out of
/// memory, and which files could not be read. Of each at most so many.
std::vector<FleetLine> fleet_lines(const Fleet& fleet);
/// These lines as one text.
std::string fleet_text(const Fleet& fleet);

}  // namespace snapviewer
