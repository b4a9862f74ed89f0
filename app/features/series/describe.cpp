#include <nlohmann/json.hpp>

#include "app/features/series/series_runs.h"

namespace snapviewer {

void SeriesRuns::describe(nlohmann::json& report) const {
    const SeriesState& page = state_.series;
    nlohmann::json& said = report["series"];
    if (page.paths.empty()) return;
    said = {{"paths", page.paths},
            {"is_shown", state_.series.is_open},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error},
            {"by", page.parts == SeriesParts::sizes ? "sizes" : "pools"},
            {"chosen", page.chosen},
            {"is_followed", page.is_followed},
            {"layers", page.layers.names},
            {"samples", page.shown ? nlohmann::json(page.shown->series.sample_count()) : nlohmann::json()}};
    if (!page.shown) return;
    nlohmann::json lines = nlohmann::json::array(), dumps = nlohmann::json::array(), ranks = nlohmann::json::array();
    for (const SeriesLineText& line : page.shown->lines) lines.push_back(line.text);
    for (const ShownSeriesDump& dump : page.shown->dumps) dumps.push_back(dump.file);
    for (const ShownSeriesLine& rank : page.shown->ranks) ranks.push_back(rank.words);
    said["lines"] = std::move(lines);
    said["dumps"] = std::move(dumps);
    said["ranks"] = std::move(ranks);
    said["gaps"] = page.shown->gaps.size();
}

}  // namespace snapviewer
