#include "app/features/series/series_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/characters.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

/// The line that grows fastest, else the first.
std::size_t worth_seeing(const ShownSeries& shown) {
    if (shown.findings.growing.empty()) return 0;
    const SeriesGrowth& fastest = shown.findings.growing.front();
    const auto found = std::ranges::find_if(shown.ranks, [&](const ShownSeriesLine& rank) {
        const SeriesLine& line = shown.series.lines[rank.line];
        return line.rank == fastest.rank && line.device == fastest.device;
    });
    return found == shown.ranks.end() ? 0 : static_cast<std::size_t>(found - shown.ranks.begin());
}

}  // namespace

void SeriesRuns::begin(std::vector<std::string> paths) {
    SeriesState fresh;
    fresh.paths = std::move(paths);
    fresh.parts = state_.series.parts;
    state_.series = std::move(fresh);
    for (const std::string& path : state_.series.paths) need_characters(path);
    state_.show_series = true;
    restart();
}

void SeriesRuns::restart() {
    if (state_.series.paths.empty()) return;
    state_.series.work.restart();
    job_.start(make_series_job(state_.series.paths));
}

void SeriesRuns::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    state_.series.work.stop();
}

void SeriesRuns::update() {
    LongWork& work = state_.series.work;
    if (auto read = job_.take()) {
        if (*read) {
            state_.series.shown = *std::move(*read);
            state_.series.chosen = worth_seeing(*state_.series.shown);
            for (const SeriesLineText& line : state_.series.shown->lines) need_characters(line.text);
        } else if (read->error().code != ErrorCode::cancelled) {
            work.error = read->error().text();
        }
    }
    work.status.clear();
    if (!job_.is_busy()) return;
    work.fraction = job_.progress().fraction();
    const std::uint64_t done = job_.progress().done();
    work.status = done == 0 ? "Looking for samples" : fmt::format("{} files read", format_count(done));
}

}  // namespace snapviewer
