#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/series/series.h"
#include "core/series/series_findings.h"

namespace snapviewer {

/// All that stands out of a series, for scripts: docs/long-jobs.md says what it holds.
nlohmann::ordered_json series_json(const SampleSeries& series, const SeriesFindings& findings);

/// A line of the report for people.
struct SeriesLineText {
    std::size_t depth = 0;  ///< 0 of a sentence, 1 of what it speaks of
    std::string text;       ///< without line feed and without what steers terminals
    std::string file;       ///< the snapshot that the line is about, if it is about one
};

/// Where the lines are read.
enum class SeriesReader : std::uint8_t {
    terminal,  ///< with a table by rank and whole paths
    window,    ///< which has pictures and opens files itself
};

/// The same for people: what grows, gaps, ranks that end early, and snapshots to open. Of each at most so many.
std::vector<SeriesLineText> series_lines(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader);
/// These lines as one text.
std::string series_text(const SampleSeries& series, const SeriesFindings& findings);

/// "blocks of 2.00 MiB to 4.00 MiB in the pool large", "the pool small", "all that is allocated".
std::string growing_words(const SeriesGrowth& growth);

}  // namespace snapviewer
