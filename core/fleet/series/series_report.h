#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fleet/series/series.h"

namespace snapviewer {

/// The findings and the ranks of a series as JSON, for scripts. docs/long-jobs.md describes the keys.
nlohmann::ordered_json series_json(const SampleSeries& series, const SeriesFindings& findings);

/// One line of the text report.
struct SeriesLineText {
    std::size_t depth = 0;  ///< Indentation level: 0 for a statement, 1 or 2 for its details.
    std::string text;       ///< text of the line, without control characters for terminals
    std::string file;       ///< The snapshot that the line is about; empty if it is about none.
};

/// The output for which the lines are made.
enum class SeriesReader : std::uint8_t {
    terminal,  ///< Text for a terminal: adds a table by rank and prints whole paths.
    window,    ///< Text for the window, which shows charts and opens files itself: prints only the names of files.
};

/// The text report: growth, gaps, ranks that end early, and snapshots to open. Lists at most 20 lines of each kind.
std::vector<SeriesLineText> series_lines(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader);
/// Joins the lines of the terminal report into one text.
std::string series_text(const SampleSeries& series, const SeriesFindings& findings);

/// Returns for example "blocks of 2.00 MiB to 4.00 MiB in the pool large", "the pool small" or "allocated memory".
std::string growing_words(const SeriesGrowth& growth);

}  // namespace snapviewer
