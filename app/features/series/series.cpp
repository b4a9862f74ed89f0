#include "app/features/series/series.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "app/ui/texts.h"
#include "core/base/text.h"

namespace snapviewer::series {

namespace {

/// Reads the samples below `paths` that are not in `memory` yet. No other thread may access `memory` meanwhile.
Result<std::shared_ptr<const ShownSeries>> read_shown_series(const std::vector<std::string>& paths, SeriesMemory& memory,
                                                             Progress& progress) {
    Result<SampleSeries> series = read_series(paths, progress, &memory);
    if (!series) return series.error();
    if (series->lines.empty() && series->dumps.empty()) {
        const SeriesFailure& first = series->failed.front();
        return Error{ErrorCode::bad_file, "no sample can be read; the first is " + first.file + ", which " + first.error};
    }
    return std::make_shared<const ShownSeries>(show_series(*std::move(series)));
}

/// Returns the files that belong to the series at present, with their stamps. One directory scan per call.
SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths) {
    Progress progress;
    SeriesChanges::Seen seen;
    const auto files = find_series_files(paths, progress);
    if (!files) return seen;
    for (const SeriesFile& file : *files) seen.emplace(file.path, file.stamp);
    return seen;
}

/// The index of the line that is drawn for a rank and device, or nullopt.
std::optional<std::size_t> index_of(const ShownSeries& shown, std::int64_t rank, std::int64_t device) {
    const auto found = std::ranges::find_if(shown.ranks, [&](const ShownSeriesLine& drawn) {
        const SeriesLine& line = shown.series.lines[drawn.line];
        return line.rank == rank && line.device == device;
    });
    return found == shown.ranks.end() ? std::nullopt : std::optional<std::size_t>(found - shown.ranks.begin());
}

/// The index of the line to choose: that of the rank and device that were chosen in `before`, else of the line that grows
/// fastest, else of the first one.
std::size_t line_to_choose(const ShownSeries* before, std::size_t chosen, const ShownSeries& now) {
    std::optional<std::size_t> index;
    if (before != nullptr && chosen < before->ranks.size()) {
        const SeriesLine& line = before->series.lines[before->ranks[chosen].line];
        index = index_of(now, line.rank, line.device);
    }
    if (!index && !now.findings.growing.empty())
        index = index_of(now, now.findings.growing.front().rank, now.findings.growing.front().device);
    return index.value_or(0);
}

/// Returns notices about changes since `before`: new full snapshots, and ranks that no longer write samples.
std::vector<std::string> news_of(const ShownSeries& before, const ShownSeries& now) {
    std::vector<std::string> news;
    for (const SeriesDump& dump : now.series.dumps) {
        if (std::ranges::find(before.series.dumps, dump.file, &SeriesDump::file) != before.series.dumps.end()) continue;
        news.push_back(
            fmt::format("Rank {} wrote a full snapshot{}", dump.rank, dump.why == "oom" ? ": out of memory" : ""));
    }
    for (const EarlyEnd& end : now.findings.ended) {
        if (std::ranges::find(before.findings.ended, end.rank, &EarlyEnd::rank) != before.findings.ended.end()) continue;
        news.push_back(fmt::format("Rank {} has written no sample for {}", end.rank, format_duration_us(end.before_us)));
    }
    return news;
}

}  // namespace

void SeriesRuns::begin(std::vector<std::string> paths) {
    SeriesState fresh;
    fresh.is_open = true;
    fresh.paths = std::move(paths);
    fresh.is_by_size = state_.is_by_size;
    fresh.is_followed = state_.is_followed;
    state_ = std::move(fresh);
    for (const std::string& path : state_.paths) need_characters(path);
    restart();
}

/// Discards all samples and reads them again.
void SeriesRuns::restart() {
    if (state_.paths.empty()) return;
    memory_ = std::make_shared<SeriesMemory>();
    state_.work.restart();
    read();
    is_quiet_ = false;
}

void SeriesRuns::read() {
    watch_.stop();
    is_quiet_ = true;
    state_.work.error.clear();
    task_.start(0, [paths = state_.paths, memory = memory_](Progress& progress) {
        return read_shown_series(paths, *memory, progress);
    });
}

void SeriesRuns::stop() {
    if (!task_.is_busy()) return;
    task_.discard();
    memory_ = std::make_shared<SeriesMemory>();
    state_.work.stop();
}

void SeriesRuns::turn_following() {
    state_.is_followed = !state_.is_followed;
    if (!state_.is_followed) return watch_.stop();
    if (state_.shown != nullptr && !task_.is_busy()) read();
}

void SeriesRuns::watch() {
    if (!state_.is_followed) return;
    SeriesChanges::Seen read;
    for (const auto& [path, known] : memory_->files) read.emplace(path, known.stamp);
    watch_.start(SeriesChanges(std::move(read)), [paths = state_.paths] { return look_for_samples(paths); });
}

void SeriesRuns::show(std::shared_ptr<const ShownSeries> read) {
    const std::shared_ptr<const ShownSeries> before = std::exchange(state_.shown, std::move(read));
    state_.chosen = line_to_choose(before.get(), state_.chosen, *state_.shown);
    for (const SeriesLineText& line : state_.shown->lines) need_characters(line.text);
    if (before == nullptr) return;
    for (std::string& news : news_of(*before, *state_.shown)) session_.toasts.say(std::move(news));
}

void SeriesRuns::update() {
    LongWork& work = state_.work;
    if (auto read = task_.take()) {
        if (*read)
            show(*std::move(*read));
        else if (read->error().code != ErrorCode::cancelled)
            work.error = read->error().text();
        if (!work.is_stopped) watch();
    } else if (!task_.is_busy() && has_news()) {
        this->read();
    }
    work.status.clear();
    if (!task_.is_busy() || is_quiet_) return;
    work.fraction = task_.progress().fraction();
    const std::uint64_t done = task_.progress().done();
    work.status = done == 0 ? "Looking for samples" : counted(done, "file") + " read";
}

void SeriesRuns::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(
        CommandId::tools_series,
        {.is_possible = [this](const Session&) { return !state_.paths.empty() || !fleet_.state().paths.empty(); },
         .doc = [this](const Session&) -> std::string {
             return state_.paths.empty() && fleet_.state().paths.empty()
                        ? "File > Open a folder of ranks… opens one"
                        : "What small snapshots of the same ranks, taken one after another, say together";
         },
         .run =
             [this] {
                 if (state_.paths.empty()) return begin(fleet_.state().paths);
                 session_.open_window(state_.is_open);
             }});
    board.handlers.on<OpenSeries>([this](const OpenSeries& asked) { begin(asked.paths); });
    board.commands.on(CommandId::series_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::series_restart, {.run = [this] { restart(); }});
    board.commands.on(CommandId::series_follow, {.run = [this] { turn_following(); }});
}

}  // namespace snapviewer::series
