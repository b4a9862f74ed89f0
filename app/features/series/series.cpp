#include "app/features/series/series.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "app/ui/sandboxed.h"
#include "app/ui/texts.h"
#include "core/base/text.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer {

Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths, std::shared_ptr<series::SeriesMemory> memory) {
    return [paths = std::move(paths), memory = std::move(memory)](Progress& progress) -> SeriesOutcome {
        enter_sandbox_here({});
        Result<series::SampleSeries> series = series::read_series(paths, progress, memory.get());
        if (!series) return series.error();
        if (series->lines.empty() && series->dumps.empty()) {
            const series::SeriesFailure& first = series->failed.front();
            return Error{ErrorCode::bad_file,
                         "no sample can be read; the first is " + first.file + ", which " + first.error};
        }
        return std::make_shared<const ShownSeries>(show_series(*std::move(series)));
    };
}

SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths) {
    Progress progress;
    SeriesChanges::Seen seen;
    const auto files = series::find_series_files(paths, progress);
    if (!files) return seen;
    for (const series::SeriesFile& file : *files) seen.emplace(file.path, file.stamp);
    return seen;
}

namespace {

/// Returns the index of the line that grows fastest, else of the first one.
std::size_t worth_seeing(const ShownSeries& shown) {
    if (shown.findings.growing.empty()) return 0;
    const series::SeriesGrowth& fastest = shown.findings.growing.front();
    const auto found = std::ranges::find_if(shown.ranks, [&](const ShownSeriesLine& rank) {
        const series::SeriesLine& line = shown.series.lines[rank.line];
        return line.rank == fastest.rank && line.device == fastest.device;
    });
    return found == shown.ranks.end() ? 0 : static_cast<std::size_t>(found - shown.ranks.begin());
}

/// Returns the index of the line of the rank and device that were chosen before, else of the line that grows fastest.
std::size_t chosen_again(const ShownSeries& before, std::size_t chosen, const ShownSeries& now) {
    if (chosen >= before.ranks.size()) return worth_seeing(now);
    const series::SeriesLine& line = before.series.lines[before.ranks[chosen].line];
    for (std::size_t i = 0; i < now.ranks.size(); ++i) {
        const series::SeriesLine& other = now.series.lines[now.ranks[i].line];
        if (other.rank == line.rank && other.device == line.device) return i;
    }
    return worth_seeing(now);
}

/// Returns notices about changes since `before`: new full snapshots, and ranks that no longer write samples.
std::vector<std::string> news_of(const ShownSeries& before, const ShownSeries& now) {
    std::vector<std::string> news;
    for (const series::SeriesDump& dump : now.series.dumps) {
        if (std::ranges::find(before.series.dumps, dump.file, &series::SeriesDump::file) != before.series.dumps.end())
            continue;
        news.push_back(
            fmt::format("Rank {} wrote a full snapshot{}", dump.rank, dump.why == "oom" ? ": out of memory" : ""));
    }
    for (const series::EarlyEnd& end : now.findings.ended) {
        if (std::ranges::find(before.findings.ended, end.rank, &series::EarlyEnd::rank) != before.findings.ended.end())
            continue;
        news.push_back(fmt::format("Rank {} has written no sample for {}", end.rank, format_duration_us(end.before_us)));
    }
    return news;
}

}  // namespace

void SeriesRuns::begin(std::vector<std::string> paths) {
    SeriesState fresh;
    fresh.is_open = true;
    fresh.paths = std::move(paths);
    fresh.parts = session_.series.parts;
    fresh.is_followed = session_.series.is_followed;
    session_.series = std::move(fresh);
    for (const std::string& path : session_.series.paths) need_characters(path);
    restart();
}

/// Discards all samples and reads them again.
void SeriesRuns::restart() {
    if (session_.series.paths.empty()) return;
    memory_ = std::make_shared<series::SeriesMemory>();
    session_.series.work.restart();
    read();
    is_quiet_ = false;
}

void SeriesRuns::read() {
    watch_.stop();
    is_quiet_ = true;
    session_.series.work.error.clear();
    job_.start(make_series_job(session_.series.paths, memory_));
}

void SeriesRuns::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    memory_ = std::make_shared<series::SeriesMemory>();
    session_.series.work.stop();
}

void SeriesRuns::turn_following() {
    SeriesState& series = session_.series;
    series.is_followed = !series.is_followed;
    if (!series.is_followed) return watch_.stop();
    if (series.shown != nullptr && !job_.is_busy()) read();
}

void SeriesRuns::watch() {
    if (!session_.series.is_followed) return;
    SeriesChanges::Seen read;
    for (const auto& [path, known] : memory_->files) read.emplace(path, known.stamp);
    watch_.start(SeriesChanges(std::move(read)), [paths = session_.series.paths] { return look_for_samples(paths); });
}

void SeriesRuns::show(std::shared_ptr<const ShownSeries> read) {
    SeriesState& series = session_.series;
    const std::shared_ptr<const ShownSeries> before = std::exchange(series.shown, std::move(read));
    series.chosen = before ? chosen_again(*before, series.chosen, *series.shown) : worth_seeing(*series.shown);
    for (const series::SeriesLineText& line : series.shown->lines) need_characters(line.text);
    if (before == nullptr) return;
    for (std::string& news : news_of(*before, *series.shown)) session_.toasts.say(std::move(news));
}

void SeriesRuns::update() {
    LongWork& work = session_.series.work;
    if (auto read = job_.take()) {
        if (*read)
            show(*std::move(*read));
        else if (read->error().code != ErrorCode::cancelled)
            work.error = read->error().text();
        if (!work.is_stopped) watch();
    } else if (!job_.is_busy() && has_news()) {
        SeriesRuns::read();
    }
    work.status.clear();
    if (!job_.is_busy() || is_quiet_) return;
    work.fraction = job_.progress().fraction();
    const std::uint64_t done = job_.progress().done();
    work.status = done == 0 ? "Looking for samples" : counted(done, "file") + " read";
}

void SeriesRuns::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) {
                                draw_series_window(session_.series, requests);
                            }});
    board.commands.on(
        CommandId::tools_series,
        {.is_possible = [](const Session& session) { return !session.series.paths.empty() || !session.fleet.paths.empty(); },
         .doc =
             [](const Session& session) {
                 const bool is_possible = !session.series.paths.empty() || !session.fleet.paths.empty();
                 return std::string(is_possible
                                        ? "What small snapshots of the same ranks, taken one after another, say together"
                                        : "File > Open a folder of ranks… opens one");
             },
         .run =
             [this] {
                 if (session_.series.paths.empty()) return begin(session_.fleet.paths);
                 session_.open_window(session_.series.is_open);
             }});
    board.handlers.on<OpenSeries>([this](const OpenSeries& asked) { begin(asked.paths); });
    board.commands.on(CommandId::series_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::series_restart, {.run = [this] { restart(); }});
    board.commands.on(CommandId::series_follow, {.run = [this] { turn_following(); }});
}

void SeriesRuns::describe(nlohmann::json& report) const {
    const SeriesState& page = session_.series;
    nlohmann::json& said = report["series"];
    if (page.paths.empty()) return;
    said = {{"paths", page.paths},
            {"is_shown", session_.series.is_open},
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
    for (const series::SeriesLineText& line : page.shown->lines) lines.push_back(line.text);
    for (const ShownSeriesDump& dump : page.shown->dumps) dumps.push_back(dump.file);
    for (const ShownSeriesLine& rank : page.shown->ranks) ranks.push_back(rank.words);
    said["lines"] = std::move(lines);
    said["dumps"] = std::move(dumps);
    said["ranks"] = std::move(ranks);
    said["gaps"] = page.shown->gaps.size();
}

}  // namespace snapviewer
