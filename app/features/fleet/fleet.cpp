#include "app/features/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "app/ui/texts.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/fleet/fleet.h"
#include "core/load/remote/folder.h"
#include "core/system/memory.h"

namespace snapviewer::fleet {
namespace {

constexpr std::size_t k_rank_curve_columns = 512;
constexpr std::chrono::seconds k_between_looks_elsewhere{3};

std::string missing_clock_words(const compare::MissingClock& missing, const std::vector<RankPlace>& ranks) {
    const std::string words = rank_words(ranks[missing.recording]);
    if (!missing.other) return fmt::format("The file of {} has no clock times", words);
    return fmt::format(
        "According to their clocks, {} ended before {} began: they did not run together, or their clocks differ", words,
        rank_words(ranks[*missing.other]));
}

}  // namespace

void FleetRuns::begin(std::vector<std::string> paths) {
    reading_task_.discard();
    end_all_fetches();
    totals_task_.discard();
    totals_.clear();
    aligned_.clear();
    FleetState fresh;
    fresh.is_open = true;
    fresh.paths = paths;
    fresh.bars_by_peak = state_.bars_by_peak;
    fresh.curves_by_clock = state_.curves_by_clock;
    state_ = std::move(fresh);
    session_.opened_rank.reset();
    for (const std::string& path : paths) need_characters(path);
    reading_ = std::make_shared<FleetReading>(std::move(paths));
    restart();
}

void FleetRuns::stop() {
    if (!reading_task_.is_busy()) return;
    reading_task_.stop();
    end_all_fetches();
    state_.work.stop();
}

void FleetRuns::end_all_fetches() {
    for (const std::string& path : state_.paths) remote::end_fetches(path);
}

void FleetRuns::restart() {
    if (reading_ == nullptr) return;
    watch_.stop();
    state_.work.restart();
    // Downloads start here, because the workers run in a sandbox and cannot start ssh.
    for (const std::string& path : reading_->paths()) {
        if (!is_remote_folder(path)) remote::end_fetches(path);
        const Status fetched = remote::start_fetch(path, ChildProgram::Terminal::none);
        if (!fetched) state_.work.error = fetched.error().text();
    }
    if (!state_.work.error.empty()) return;
    reading_task_.start(0, [reading = reading_](Progress& progress) -> Result<std::monostate> {
        const Status read = reading->read(progress);
        if (!read) return read.error();
        return std::monostate{};
    });
}

/// Drops the totals of chosen ranks whose files have changed since `before`.
void FleetRuns::forget_changed_totals(const ShownFleet& before) {
    const auto row_in = [](const ShownFleet& fleet, const RankPlace& rank) {
        const auto index = fleet.index_of(rank);
        return index ? &fleet.ranks[*index].row : nullptr;
    };
    std::erase_if(totals_, [&](const auto& known) {
        const RankRow* old = row_in(before, known.first);
        const RankRow* now = row_in(*state_.shown, known.first);
        return old == nullptr || now == nullptr || old->file_bytes != now->file_bytes || old->events != now->events ||
               old->peak_bytes != now->peak_bytes;
    });
}

void FleetRuns::show_reading() {
    state_.files = reading_->files();
    state_.files_read = reading_->files_read();
    state_.work.status.clear();
    state_.work.fraction = state_.files == 0 ? 0 : static_cast<float>(state_.files_read) / static_cast<float>(state_.files);
    if (reading_task_.is_busy()) {
        std::uint64_t wire_bytes = 0;
        std::uint64_t unpacked_bytes = 0;
        for (const std::string& path : reading_->paths()) {
            if (const auto folder = remote::remote_folder(path)) {
                wire_bytes += folder->wire_bytes();
                unpacked_bytes += folder->unpacked_bytes();
            }
        }
        state_.work.status = state_.files == 0
                                 ? "Looking for files"
                                 : fmt::format("{} of {}", format_count(state_.files_read), counted(state_.files, "file"));
        if (wire_bytes > 0) state_.work.status += ", " + format_wire_bytes(wire_bytes, unpacked_bytes);
    }
    std::shared_ptr<const ShownFleet> shown = reading_->shown();
    if (shown == state_.shown || shown == nullptr) return;
    const std::shared_ptr<const ShownFleet> before = std::exchange(state_.shown, std::move(shown));
    if (before != nullptr) forget_changed_totals(*before);
    need_characters(state_.shown->characters);
}

void FleetRuns::take_reading() {
    if (reading_ == nullptr) return;
    if (const auto done = reading_task_.take()) {
        for (const std::string& path : reading_->paths()) {
            if (!is_remote_folder(path)) remote::end_fetches(path);  // ends downloads that were not read
        }
        if (!*done && done->error().code != ErrorCode::cancelled) state_.work.error = done->error().text();
        if (!state_.work.is_stopped) {
            // Folders on another machine are polled less often, over the existing connection.
            const bool is_elsewhere = std::ranges::any_of(reading_->paths(), is_remote_folder);
            watch_.start(
                FleetChangeDetector(reading_->stamps()),
                [paths = reading_->paths(), awaited = reading_->awaited(), last = reading_->stamps()]() mutable {
                    last = read_fleet_stamps(paths).value_or(last);
                    FleetStamps stamps = last;
                    mark_awaited(stamps, awaited, available_memory_bytes());
                    return stamps;
                },
                is_elsewhere ? k_between_looks_elsewhere : k_between_disk_looks);
        }
    } else if (!reading_task_.is_busy() && has_other_files()) {
        restart();
    }
    show_reading();
}

/// Finds the file of a rank on this machine. A fleet database may have been moved, with or without the files that it
/// describes. A remote file keeps its address.
RankPlace FleetRuns::on_disk(const RankPlace& rank) const {
    namespace fs = std::filesystem;
    if (is_remote(rank.file)) return rank;
    const fs::path file = rank.file;
    std::vector<fs::path> candidates = {file};
    for (const std::string& path : state_.paths) {
        candidates.push_back(fs::path(path).parent_path() / file);
        candidates.push_back(fs::path(path).parent_path() / file.filename());
    }
    const auto found = std::ranges::find_if(candidates, [](const fs::path& candidate) {
        std::error_code ignored;
        return fs::exists(candidate, ignored);
    });
    RankPlace there = rank;
    there.file = files::absolute_path((found == candidates.end() ? file : *found).string());
    return there;
}

/// Returns whether the file of a rank exists; if not, stores an error message for the user. Files described by a fleet
/// database may have been deleted. `wanted` is the action in the message.
bool FleetRuns::is_there(const RankPlace& rank, const char* wanted) {
    std::error_code ignored;
    state_.refusal.clear();
    const std::string file = on_disk(rank).file;
    if (is_remote(file) || std::filesystem::exists(file, ignored)) return true;
    state_.refusal = fmt::format("{} cannot be {}, because its file {} no longer exists", rank_words(rank), wanted,
                                 std::filesystem::path(rank.file).filename().string());
    return false;
}

void FleetRuns::open(const RankPlace& rank) {
    if (is_there(rank, "opened")) show_rank(rank, std::nullopt);
}

void FleetRuns::compare_chosen() {
    const std::vector<RankPlace>& chosen = state_.chosen;
    if (chosen.size() != 2) return;
    if (is_there(chosen[0], "compared") && is_there(chosen[1], "compared")) show_rank(chosen[0], chosen[1]);
}

void FleetRuns::show_rank(const RankPlace& rank, std::optional<RankPlace> other) {
    awaited_ = on_disk(rank);
    other_ = std::move(other);
    const bool is_open_already = session_.document && session_.document->path == awaited_->file &&
                                 session_.document->with.empty() && opener_.on_disk() == files::DiskChange::none;
    if (is_open_already)
        arrive();
    else
        opener_.open(awaited_->file);
}

/// Called when the file of the awaited rank is open in the main window. Shows the device of the rank, and starts the
/// comparison if one was requested.
void FleetRuns::arrive() {
    state_.is_open = false;
    session_.opened_rank = std::exchange(awaited_, std::nullopt);
    if (const auto device = device_of_rank(*session_.document->snapshot, *session_.opened_rank);
        device && *device < session_.devices.size())
        pictures_.show_device(*device);
    if (const auto other = std::exchange(other_, std::nullopt)) {
        const RankPlace there = on_disk(*other);
        compare_.begin(there.file, there);
    }
}

void FleetRuns::follow_document() {
    if (document_ == session_.document) return;
    document_ = session_.document;
    const std::string path = document_ ? document_->path : "";
    if (awaited_ && awaited_->file == path) return arrive();
    awaited_.reset();
    other_.reset();
    if (session_.opened_rank && session_.opened_rank->file != path) session_.opened_rank.reset();
}

/// The totals of a chosen rank, or the reason why they could not be read; null until they are read.
const Result<RankTotals>* FleetRuns::totals_of(const RankPlace& rank) const {
    const auto known = std::ranges::find_if(totals_, [&](const auto& each) { return each.first == rank; });
    return known == totals_.end() ? nullptr : &known->second;
}

void FleetRuns::align_chosen() {
    state_.curves_error.clear();
    std::vector<RankPlace> ranks;
    std::vector<RankTotals> recordings;
    for (const RankPlace& rank : state_.chosen) {
        const Result<RankTotals>* totals = totals_of(rank);
        if (totals == nullptr) continue;
        if (!*totals) {
            state_.curves_error = rank_words(rank) + " " + totals->error().text();
            continue;
        }
        ranks.push_back(rank);
        recordings.push_back(**totals);
    }
    if (recordings == aligned_ && state_.curves_by_clock == are_aligned_by_clock_) return;
    const std::optional<compare::MissingClock> missing = compare::find_missing_clock(recordings);
    state_.not_by_clock = missing ? missing_clock_words(*missing, ranks) : "";
    state_.curves = state_.curves_by_clock && !missing ? compare::align_by_clock(recordings, k_rank_curve_columns)
                                                       : compare::align_by_steps(recordings, k_rank_curve_columns);
    state_.curves_of = std::move(ranks);
    aligned_ = std::move(recordings);
    are_aligned_by_clock_ = state_.curves_by_clock;
}

/// The fleet databases among the opened paths.
std::vector<std::string> FleetRuns::databases() const {
    std::vector<std::string> found = state_.paths;
    std::erase_if(found, [](const std::string& path) { return !is_fleet_database(path); });
    return found;
}

/// Starts to read the totals of the chosen ranks, one rank at a time, and aligns those that have been read.
void FleetRuns::follow_chosen() {
    if (auto read = totals_task_.take()) {
        totals_.emplace_back(*totals_task_.input(), *std::move(read));
        totals_task_.discard();
    }
    std::erase_if(totals_,
                  [&](const auto& known) { return std::ranges::find(state_.chosen, known.first) == state_.chosen.end(); });
    align_chosen();
    state_.curves_status.clear();
    const auto next = std::ranges::find_if(state_.chosen, [&](const RankPlace& rank) { return totals_of(rank) == nullptr; });
    if (next == state_.chosen.end()) return;
    state_.curves_status = "Reading the totals of " + rank_words(*next);
    if (totals_task_.is_busy()) return;
    const std::string file = on_disk(*next).file;
    const Status fetched = remote::start_fetch(file, ChildProgram::Terminal::none);
    if (!fetched) state_.curves_error = fetched.error().text();
    totals_task_.follow(*next, 0, [rank = *next, file, databases = databases()](Progress& progress) {
        return read_totals(rank, file, databases, progress);
    });
}

/// A remote folder whose connection has ended, or nullopt. Also nullopt while files are being read, or after reading was
/// stopped or has failed. update() records the end of a connection as a failure, so it is reported once.
std::optional<std::string> FleetRuns::lost_folder() const {
    if (reading_ == nullptr || reading_task_.is_busy() || state_.work.is_at_rest()) return std::nullopt;
    for (const std::string& path : reading_->paths()) {
        const auto folder = remote::remote_folder(path);
        if (folder != nullptr && !folder->is_connected()) return path;
    }
    return std::nullopt;
}

void FleetRuns::update() {
    take_reading();
    if (const auto lost = lost_folder()) state_.work.error = *lost + " is no longer followed, because the connection ended";
    follow_document();
    follow_chosen();
}

namespace {

/// True if the open file has several devices. Parts such as pinned host memory do not count.
bool has_several_devices(const Session& session) {
    return session.document &&
           std::ranges::count_if(session.document->snapshot->devices, &std::string::empty, &DeviceTrace::part) > 1;
}

/// Paths of all files that are open together as `document`.
std::vector<std::string> paths_of(const Document& document) {
    if (document.with.empty()) return {document.path};
    return {document.path, document.with};
}

}  // namespace

std::string FleetRuns::file_note() const {
    return session_.opened_rank ? std::string(keys_of(CommandId::tools_fleet)) + ": the fleet" : "";
}

void FleetRuns::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_fleet,
                            .is_possible = [this](const Session&) { return !state_.paths.empty(); },
                            .doc = [this](const Session&) -> std::string {
                                return state_.paths.empty() ? "File > Open a folder of ranks… opens one"
                                                            : "The ranks of a job side by side";
                            },
                            .is_open = &state_.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::tools_devices, {.is_possible = has_several_devices, .run = [this] {
                                                     if (session_.document) begin(paths_of(*session_.document));
                                                 }});
    board.commands.on(CommandId::fleet_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::fleet_restart, {.run = [this] {
                          if (!reading_task_.is_busy()) restart();
                      }});
    board.commands.on(CommandId::fleet_open, {.run = [this] {
                          if (state_.cursor) open(*state_.cursor);
                      }});
    board.commands.on(CommandId::fleet_compare, {.run = [this] { compare_chosen(); }});
    board.handlers.on<OpenFleet>([this](const OpenFleet& asked) { begin(asked.paths); });
}

}  // namespace snapviewer::fleet
