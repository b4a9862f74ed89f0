#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/series/series.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// The findings and the ranks of a series as JSON, for scripts. docs/long-jobs.md describes the keys.
nlohmann::ordered_json series_json(const SampleSeries& series, const SeriesFindings& findings);

/// Descriptions of all tables of a series database.
std::span<const TableDoc> series_tables();
/// Writes a series into a new SQLite database. The file appears at `path` only once it is complete.
Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress);

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

}  // namespace snapviewer
