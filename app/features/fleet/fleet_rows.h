#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/rank_place.h"
#include "app/ui/characters.h"
#include "core/fleet/fleet.h"

/// A fleet as the window shows it: its ranks as bars and rows, and what is said of it. No GUI in here.
namespace snapviewer {

RankPlace place_of(const RankRow& row);

/// A rank, and how it stands among the others.
struct ShownRank {
    RankRow row;
    std::int64_t delta_bytes = 0;  ///< to the median; 0 of a file that could not be read
    bool is_outlier = false;
    std::string note;                  ///< what is not ordinary about it, in a few words; mostly empty
    std::string main_source;           ///< of the stack that makes most of an outlier's difference
    std::vector<std::string> reasons;  ///< the stacks that make an outlier's difference, a line each, the largest first
    std::string sought;                ///< what a filter looks at: all its texts in small letters

    bool is_readable() const { return row.error.empty(); }
};

/// Its file, its numbers and what is not ordinary about it, as lines.
std::string rank_facts(const ShownRank& rank);

/// A line of what stands out.
struct ShownLine {
    std::size_t depth = 0;            ///< as FleetLine
    std::string text;                 ///< of a rank without the folder that all have in common
    std::optional<std::size_t> rank;  ///< into ShownFleet::ranks
};

/// All of a fleet that has been read so far. Immutable.
struct ShownFleet {
    std::vector<ShownRank> ranks;  ///< as Fleet::ranks()
    std::vector<ShownLine> lines;  ///< see fleet_lines()
    std::vector<FleetGrowth> growing;
    std::optional<double> median_peak_bytes;
    double deviation_bytes = 0;
    std::uint64_t top_bytes = 0;  ///< the most that a rank held, reserved or had
    std::size_t read_count = 0;   ///< ranks, without files that could not be read
    CharacterSet characters;      ///< of its texts

    /// None where it is not among them any more. O(ranks).
    std::optional<std::size_t> index_of(const RankPlace& place) const;
};

/// O(ranks log ranks) and their stacks.
ShownFleet show_fleet(const Fleet& fleet);

}  // namespace snapviewer
