#include "app/features/fleet/fleet_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/document/document.h"
#include "core/system/files.h"
#include "core/system/memory.h"

namespace snapviewer::fleet {
namespace {

std::string note_of(const ShownRank& rank) {
    const RankRow& row = rank.row;
    if (!row.error.empty()) return "damaged: " + row.error;
    std::string note = row.oom_cause.empty() ? "" : "out of memory: " + row.oom_cause;
    if (!rank.is_outlier) return note;
    note += fmt::format("{}far {}", note.empty() ? "" : ", ", rank.delta_bytes > 0 ? "above" : "below");
    return rank.main_source.empty() ? note + " the median" : note + ": " + rank.main_source;
}

std::string search_text_of(const ShownRank& rank) {
    const RankRow& row = rank.row;
    std::string text = fmt::format("{}\n{}\n{}\n{}\n{}", rank_words(place_of(row)), row.file, row.host, row.run, rank.note);
    for (const std::string& reason : rank.reasons) text += "\n" + reason;
    return lower_case(text);
}

/// The common parent folder of all files, with a trailing slash.
std::string common_folder(const std::vector<const RankRow*>& rows) {
    std::string common;
    for (const RankRow* row : rows) {
        if (row == rows.front()) common = row->file;
        const auto [end, other] = std::ranges::mismatch(common, row->file);
        common.erase(end, common.end());
    }
    return std::string(folder_part(common));
}

std::string without(const std::string& text, const std::string& part) {
    const std::size_t at = part.size() > 1 ? text.find(part) : std::string::npos;
    return at == std::string::npos ? text : std::string(text).erase(at, part.size());
}

void add_outliers(const Fleet& fleet, const std::unordered_map<const RankRow*, std::size_t>& index_of, ShownFleet& shown) {
    for (const FleetOutlier& outlier : fleet.outliers()) {
        ShownRank& rank = shown.ranks[index_of.at(outlier.row)];
        rank.is_outlier = true;
        if (!outlier.stacks.empty()) rank.main_source = one_line(fleet.top_frame(outlier.stacks.front().stack_key));
        for (const FleetOutlier::Stack& stack : outlier.stacks) {
            rank.reasons.push_back(
                fmt::format("{}  {}", format_difference(static_cast<std::int64_t>(stack.bytes - stack.median_bytes)),
                            one_line(fleet.top_frame(stack.stack_key))));
        }
        for (const FleetOutlier::Stack& module : outlier.modules) {
            rank.reasons.push_back(fmt::format(
                "{}  module {}", format_difference(static_cast<std::int64_t>(module.bytes - module.median_bytes)),
                one_line(fleet.module_path(module.stack_key))));
        }
    }
}

void note_characters(ShownFleet& shown) {
    for (const ShownRank& rank : shown.ranks) {
        for (const std::string* text : {&rank.row.file, &rank.row.host, &rank.row.run, &rank.note})
            shown.characters.add(*text);
    }
    for (const ShownLine& line : shown.lines) shown.characters.add(line.text);
}

}  // namespace

RankPlace place_of(const RankRow& row) { return {row.file, row.rank, row.device}; }

std::string rank_facts(const ShownRank& rank) {
    const RankRow& row = rank.row;
    std::string text = rank_words(place_of(row)) + (row.host.empty() ? "" : " on " + row.host) + "\n" + row.file;
    if (row.peak_bytes) {
        text += fmt::format("\npeak {}, {} to the median", format_bytes_exactly(*row.peak_bytes),
                            format_difference(rank.delta_bytes));
    }
    if (row.reserved_peak_bytes) text += "\nreserved at most " + format_bytes(*row.reserved_peak_bytes);
    if (row.capacity_bytes) text += "\nof " + format_bytes(*row.capacity_bytes) + " there";
    if (!rank.note.empty()) text += "\n" + shortened(rank.note, 400);
    for (const std::string& reason : rank.reasons) text += "\n  " + reason;
    return text;
}

std::optional<std::size_t> ShownFleet::index_of(const RankPlace& place) const {
    const auto found = std::ranges::find_if(ranks, [&](const ShownRank& rank) {
        const RankRow& row = rank.row;
        return row.rank == place.rank && row.device == place.device && row.file == place.file;
    });
    return found == ranks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - ranks.begin()));
}

ShownFleet show_fleet(const Fleet& fleet) {
    ShownFleet shown;
    shown.read_count = fleet.read_count();
    shown.median_peak_bytes = fleet.median_peak_bytes();
    shown.growing = fleet.growing();
    const std::vector<const RankRow*> rows = fleet.ranks();
    std::unordered_map<const RankRow*, std::size_t> index_of;
    for (const RankRow* row : rows) {
        index_of[row] = shown.ranks.size();
        ShownRank& rank = shown.ranks.emplace_back();
        rank.row = *row;
        if (!row->peak_bytes) continue;
        rank.delta_bytes = std::llround(static_cast<double>(*row->peak_bytes) - *shown.median_peak_bytes);
        shown.top_bytes = std::max(
            {shown.top_bytes, *row->peak_bytes, row->reserved_peak_bytes.value_or(0), row->capacity_bytes.value_or(0)});
    }
    add_outliers(fleet, index_of, shown);
    for (ShownRank& rank : shown.ranks) {
        rank.note = note_of(rank);
        rank.search_text = search_text_of(rank);
    }
    const std::string folder = common_folder(rows);
    for (const FleetLine& line : fleet_lines(fleet)) {
        const auto rank = line.row == nullptr ? std::nullopt : std::optional(index_of.at(line.row));
        shown.lines.push_back({line.depth, without(line.text, folder), rank});
    }
    note_characters(shown);
    return shown;
}

namespace {

std::string size_text(const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "-"; }
std::int64_t size_number(const std::optional<std::uint64_t>& bytes) {
    return bytes ? static_cast<std::int64_t>(*bytes) : -1;
}

constexpr std::array<FleetColumnInfo, 11> k_fleet_columns = {{
    {.header = {.title = "Rank",
                .name = "rank",
                .width_px = 46,
                .doc = "From the file name, the folder or the recording",
                .is_sorted_first = true},
     .shown = [](const ShownRank& rank) { return std::to_string(rank.row.rank); },
     .number = [](const ShownRank& rank) { return std::int64_t{rank.row.rank}; }},
    {.header =
         {.title = "Device", .name = "device", .width_px = 64, .doc = "Device number on its machine", .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.device ? std::to_string(*rank.row.device) : "-"; },
     .number = [](const ShownRank& rank) { return std::int64_t{rank.row.device.value_or(-1)}; }},
    {.header = {.title = "Peak",
                .name = "peak",
                .width_px = 80,
                .doc = "The most that was allocated at the same time",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.peak_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.peak_bytes); }},
    {.header = {.title = "To median",
                .name = "delta",
                .width_px = 88,
                .doc = "Distance of the peak from the median of all ranks; furthest first, whether above or below",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return rank.is_readable() ? format_difference(rank.delta_bytes) : "-"; },
     .number = [](const ShownRank& rank) { return rank.is_readable() ? std::int64_t{std::abs(rank.delta_bytes)} : -1; }},
    {.header = {.title = "Reserved",
                .name = "reserved",
                .width_px = 80,
                .doc = "The most that was reserved from the driver",
                .largest_first = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.reserved_peak_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.reserved_peak_bytes); }},
    {.header = {.title = "Capacity",
                .name = "capacity",
                .width_px = 80,
                .doc = "Memory of the device, if it is known from running out of memory",
                .largest_first = true,
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return size_text(rank.row.capacity_bytes); },
     .number = [](const ShownRank& rank) { return size_number(rank.row.capacity_bytes); }},
    {.header = {.title = "Events",
                .name = "events",
                .width_px = 76,
                .doc = "Number of events in the recording",
                .largest_first = true,
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.is_readable() ? format_count(rank.row.events) : "-"; },
     .number = [](const ShownRank& rank) { return static_cast<std::int64_t>(rank.row.events); }},
    {.header = {.title = "Note", .name = "note", .doc = "Anything unusual", .largest_first = true},
     .shown = [](const ShownRank& rank) { return rank.note; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.note; }},
    {.header = {.title = "Host",
                .name = "host",
                .width_px = 90,
                .doc = "The machine, if the file name contains it",
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.host; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.host; }},
    {.header = {.title = "Run",
                .name = "run",
                .width_px = 90,
                .doc = "Distinguishes several snapshots of one rank",
                .is_hidden = true},
     .shown = [](const ShownRank& rank) { return rank.row.run; },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.run; }},
    {.header = {.title = "File", .name = "file", .width_px = 130, .doc = "The file it was read from"},
     .shown = [](const ShownRank& rank) { return std::filesystem::path(rank.row.file).filename().string(); },
     .text = [](const ShownRank& rank) -> const std::string& { return rank.row.file; }},
}};

bool is_before(const ShownRank& a, const ShownRank& b, const FleetColumnInfo& column) {
    return column.number != nullptr ? column.number(a) < column.number(b)
                                    : compare_names(column.text(a), column.text(b)) < 0;
}

/// True if a rank matches one word of the filter. A number matches the rank with that number, any other word a part of the
/// rank's texts.
bool passes(const ShownRank& rank, const std::string& part) {
    if (part.find_first_not_of("0123456789") == std::string::npos) return std::to_string(rank.row.rank) == part;
    return rank.search_text.find(part) != std::string::npos;
}

}  // namespace

std::span<const FleetColumnInfo> fleet_columns() { return k_fleet_columns; }

const FleetColumnInfo& info_of(FleetColumn column) { return k_fleet_columns[static_cast<std::size_t>(column)]; }

std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order) {
    std::vector<std::string> parts;
    std::istringstream words(lower_case(order.filter));
    for (std::string part; words >> part;) parts.push_back(part);
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < fleet.ranks.size(); ++i) {
        if (std::ranges::all_of(parts, [&](const std::string& part) { return passes(fleet.ranks[i], part); }))
            places.push_back(i);
    }
    const FleetColumnInfo& column = info_of(order.by);
    std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
        if (order.is_descending) std::swap(a, b);
        return is_before(fleet.ranks[a], fleet.ranks[b], column);
    });
    return places;
}

files::FileStamps stamps_of(const FleetFile& file) {
    if (!file.remote) return files::read_stamps({file.path});
    const std::filesystem::file_time_type modified{std::chrono::seconds(file.remote->modified_s)};
    files::FileStamps stamps(files::k_stamps_per_path);
    stamps.front() = {true, static_cast<std::uintmax_t>(file.file_bytes), modified};
    return stamps;
}

std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths) {
    Progress progress;
    FleetStamps stamps;
    const auto files = find_fleet_files(paths, "", progress);
    if (!files) return stamps;
    for (const FleetFile& file : *files) {
        if (is_unlisted_folder(file)) return std::nullopt;
        stamps.emplace(file.path, stamps_of(file));
    }
    return stamps;
}

std::uint64_t awaited_memory_bytes(std::uint64_t estimated_bytes, std::uint64_t available_bytes) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return std::max(estimated_bytes, available_bytes + std::min(available_bytes / 4, most - available_bytes));
}

void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes) {
    for (const auto& [path, bytes] : awaited) {
        if (available_bytes > bytes) stamps.erase(path);
    }
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_points_a_rank = 4096;
constexpr auto k_between_showing = std::chrono::milliseconds(300);
/// Minimum pause between two updates of the window, as a multiple of the duration of an update. Limits the cost of updates
/// for large fleets.
constexpr int k_pause_factor = 10;

Result<RankTotals> totals_of_rank(const RankPlace& rank, const std::string& file, Progress& progress) {
    const auto document = open_document(file, {.mesh = false, .database = false}, progress);
    if (!document) return document.error();
    const auto device = device_of_rank(*(*document)->snapshot, rank);
    if (!device) return Error{ErrorCode::bad_file, "no longer contains this rank", {}, {}};
    findings::DeviceAnalyses& analyses = (*document)->analyses->device(*device);
    const auto steps = analyses.steps();
    return std::make_shared<const compare::ReducedTotals>(
        compare::reduce_totals(analyses.timeline(), *steps, k_points_a_rank));
}

/// The training steps of a rank, reconstructed from the moments that a fleet database contains.
steps::Steps steps_of_kept(const std::vector<HighestTotal>& totals) {
    steps::Steps steps;
    // Only with this method are steps matched by their numbers, although no profiler counted these.
    steps.method = steps::StepMethod::profiler;
    for (std::size_t begin = 0, end = 0; begin < totals.size(); begin = end) {
        while (end < totals.size() && totals[end].training_step == totals[begin].training_step) ++end;
        if (!totals[begin].training_step) continue;
        steps::TrainingStep& step = steps.steps.emplace_back();
        step.name = std::to_string(*totals[begin].training_step);
        step.begin_step = totals[begin].step;
        step.end_step = end < totals.size() ? totals[end].step : totals.back().step + 1;
    }
    steps.complete = steps.steps.size();
    return steps;
}

/// Reads the totals of a rank from a fleet database, in the same form as if its file had been read.
Result<RankTotals> kept_totals_of_rank(const RankPlace& rank, const std::vector<std::string>& databases,
                                       Progress& progress) {
    for (const std::string& path : databases) {
        auto kept = read_kept_totals(path, rank.file, rank.rank, rank.device, progress);
        if (!kept) return kept.error();
        if (kept->empty()) continue;
        std::ranges::stable_sort(*kept, {}, &HighestTotal::step);
        compare::ReducedTotals reduced{{}, kept->back().step + 1, steps_of_kept(*kept)};
        for (const HighestTotal& total : *kept)
            reduced.points.push_back({total.step, total.allocated_bytes, total.time_us.value_or(k_no_time)});
        return std::make_shared<const compare::ReducedTotals>(std::move(reduced));
    }
    return Error{ErrorCode::bad_file,
                 "has no curve, because its file no longer exists and the fleet was written without --totals, which saves "
                 "the curves"};
}

}  // namespace

void FleetReading::show() {
    auto now = std::make_shared<const ShownFleet>(show_fleet(fleet_));
    const std::lock_guard lock(mutex_);
    shown_ = std::move(now);
}

std::shared_ptr<const ShownFleet> FleetReading::shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
}

FleetStamps FleetReading::stamps() const {
    FleetStamps stamps;
    for (const auto& [path, known] : known_) stamps.emplace(path, known.stamps);
    return stamps;
}

std::map<std::string, std::uint64_t> FleetReading::awaited() const {
    std::map<std::string, std::uint64_t> awaited;
    for (const auto& [path, known] : known_) {
        if (known.awaited_bytes) awaited.emplace(path, *known.awaited_bytes);
    }
    return awaited;
}

/// Drops files that disappeared, changed, now count as another rank or run, or can be retried because memory became free. If
/// a fleet database changed, drops everything, because one database describes many files.
void FleetReading::forget_changed(const FoundFiles& found) {
    std::map<std::string, const KnownFile*> there;
    for (const auto& [file, now] : found) there[file.path] = &now;
    const std::uint64_t available_bytes = available_memory_bytes();
    const auto is_changed = [&](const auto& known) {
        const auto now = there.find(known.first);
        // A remote file that no listing contains has no modification time to compare.
        if (is_remote(known.first) && !known.second.is_listed) return true;
        if (known.second.awaited_bytes && available_bytes > *known.second.awaited_bytes) return true;
        return now == there.end() || now->second->stamps != known.second.stamps || now->second->rank != known.second.rank ||
               now->second->run != known.second.run;
    };
    if (std::ranges::none_of(known_, is_changed)) return;
    if (std::ranges::any_of(found, [](const auto& each) { return each.first.is_fleet_database; })) {
        fleet_ = Fleet();
        known_.clear();
    }
    std::erase_if(known_, [&](const auto& known) {
        if (!is_changed(known)) return false;
        fleet_.remove(known.first);
        return true;
    });
}

Status FleetReading::read_fresh(const FoundFiles& found, Progress& progress) {
    std::vector<FleetFile> fresh;
    std::vector<const KnownFile*> of_fresh;
    for (const auto& [file, now] : found) {
        if (known_.contains(file.path)) continue;
        fresh.push_back(file);
        of_fresh.push_back(&now);
    }
    read_ = found.size() - fresh.size();
    auto shown_at = Clock::now();
    Clock::duration pause = k_between_showing;
    return read_fleet(fresh, {}, progress, [&](std::size_t file, FileSummary summary) {
        fleet_.add(summary);
        KnownFile& known = known_[fresh[file].path] = *of_fresh[file];
        if (summary.lacked_connection) known.stamps.clear();
        if (summary.lacked_memory)
            known.awaited_bytes = awaited_memory_bytes(estimate_memory_bytes(fresh[file].path, fresh[file].file_bytes),
                                                       available_memory_bytes());
        ++read_;
        const auto before = Clock::now();
        if (before - shown_at < pause) return Status();
        show();
        shown_at = Clock::now();
        pause = std::max<Clock::duration>(k_between_showing, k_pause_factor * (shown_at - before));
        return Status();
    });
}

Status FleetReading::read(Progress& progress) {
    auto files = find_fleet_files(paths_, "", progress);
    if (!files) return files.error();
    // A remote machine that does not answer must not remove the ranks that were already read from it.
    const auto unlisted = std::ranges::find_if(*files, is_unlisted_folder);
    if (unlisted != files->end() && !known_.empty()) return Error{ErrorCode::io, unlisted->path + ": " + unlisted->error};
    FoundFiles found;
    for (FleetFile& file : *files) {
        KnownFile now{stamps_of(file), *file.name.rank, file.run, std::nullopt, file.remote.has_value()};
        found.emplace_back(std::move(file), std::move(now));
    }
    forget_changed(found);
    files_ = found.size();
    const Status status = read_fresh(found, progress);
    show();
    return status && found.empty() ? Status(Error{ErrorCode::bad_file, k_no_fleet_files, {}, {}}) : status;
}

Result<RankTotals> read_totals(const RankPlace& rank, const std::string& file, const std::vector<std::string>& databases,
                               Progress& progress) {
    std::error_code ignored;
    const bool is_kept_alone = !databases.empty() && !std::filesystem::exists(file, ignored);
    return is_kept_alone ? kept_totals_of_rank(rank, databases, progress) : totals_of_rank(rank, file, progress);
}

}  // namespace snapviewer::fleet
