#include "app/features/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/features/files/files.h"
#include "app/system/window_system.h"
#include "app/ui/texts.h"
#include "core/analysis/report/report.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/load/remote/fetch.h"
#include "core/query/database.h"

namespace snapviewer::compare {
namespace {

/// Nouns for the rows of a comparison, indexed by CompareBy.
constexpr std::array k_row_nouns = {"line", "call path", "stack", "Python stack", "kind", "module"};

}  // namespace

std::string peaks_sentence(const Comparison& comparison) {
    const std::int64_t delta = comparison.delta_bytes();
    if (comparison.a.known.is_lower_bound || comparison.b.known.is_lower_bound) {
        return fmt::format("A: {} {}, B: {} {}. Which peak is higher is unknown.", comparison.a.label(),
                           format_bytes(comparison.a.bytes), comparison.b.label(), format_bytes(comparison.b.bytes));
    }
    if (delta == 0) return "Both peaks are equal.";
    return fmt::format("B peaks {} {} than A.", format_bytes(static_cast<std::uint64_t>(std::abs(delta))),
                       delta < 0 ? "lower" : "higher");
}

std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by) {
    const std::string allocations = sums.count_a == 0 || sums.count_b == 0
                                        ? format_count(sums.count_a + sums.count_b)
                                        : format_count(sums.count_a) + " → " + format_count(sums.count_b);
    return fmt::format("{}, {} allocation{}", counted(rows, k_row_nouns[static_cast<std::size_t>(by)]), allocations,
                       allocations == "1" ? "" : "s");
}

std::string alignment_sentence(const Alignment& alignment, const steps::Steps& a, const steps::Steps& b) {
    const std::size_t count = alignment.steps.size();
    const std::string pairs = counted(count, "pair");
    switch (alignment.method) {
        case Alignment::Method::step_number: return "Aligned by training step number: " + pairs + ".";
        case Alignment::Method::step_order: return "Aligned by complete training steps, in order: " + pairs + ".";
        case Alignment::Method::start: break;
    }
    return fmt::format("Each recording is scaled to the full width, because no training steps were found in {}.",
                       a.steps.empty() && b.steps.empty() ? "either"
                       : a.steps.empty()                  ? "A"
                                                          : "B");
}

std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis) {
    std::string line =
        fmt::format("snapviewer compare {} {}", shell_word(users_path(a.path)), shell_word(users_path(b.path)));
    if (a.device) line += fmt::format(" --device {}", *a.device);
    if (b.device) line += fmt::format(" --device2 {}", *b.device);
    if (by != CompareBy::stack) line += " --by " + compare_by_names()[static_cast<std::size_t>(by)];
    if (basis != CompareBasis::all) line += " --basis " + compare_basis_names()[static_cast<std::size_t>(basis)];
    return line;
}

namespace {

constexpr std::size_t k_compared_columns = 512;
constexpr std::uint64_t k_work_parts = 4;

/// Opens file B. Takes as long as opening it on the command line.
Result<OtherFile> open_other_file(const std::string& path, Progress& progress) {
    auto document = open_document(path, {.mesh = false}, progress);
    if (!document) return document.error();
    if ((*document)->devices.empty()) return Error{ErrorCode::bad_file, "holds no allocations over time to compare", {}, {}};
    CharacterSet characters = characters_of(**document);
    return OtherFile{*std::move(document), std::move(characters)};
}

/// Compares two devices. Half a second for two recordings of a million events each, most of it to detect the training steps.
/// `both` is ShownComparison::both of an earlier comparison of the same devices; null creates a new database.
std::shared_ptr<const ShownComparison> compare_files(const ComparisonInput& input, std::shared_ptr<query::Database> both) {
    findings::DeviceAnalyses& a = input.a.analyses();
    findings::DeviceAnalyses& b = input.b.analyses();
    auto comparison = compare_devices(a, b, input.by, input.basis);
    report_done(1, k_work_parts);
    const auto steps_a = a.steps();
    report_done(2, k_work_parts);
    const auto steps_b = b.steps();
    report_done(3, k_work_parts);
    auto stacks_a = ComparedStacks::build(a, input.by);
    auto stacks_b = ComparedStacks::build(b, input.by);
    if (both == nullptr) {
        const std::string name_b = std::filesystem::path(input.b.document->path).filename().string();
        both = value_or_throw(input.a.document->database->joined_with(*input.b.document->database, name_b, input.b.index));
    }
    Alignment alignment = align_steps(*steps_a, *steps_b);
    AlignedCurves curves = align_curves(a.timeline(), b.timeline(), alignment, k_compared_columns);
    std::vector<std::string> limits = report::comparison_limits(a, b, comparison);
    return std::make_shared<const ShownComparison>(
        ShownComparison{input, std::move(comparison), steps_a, steps_b, std::move(alignment), std::move(curves),
                        std::move(stacks_a), std::move(stacks_b), std::move(both), std::move(limits)});
}

ComparedFile file_of(const OpenDevice& device) {
    const Snapshot& snapshot = *device.document->snapshot;
    return {device.document->path,
            snapshot.devices.size() > 1 ? std::optional(snapshot.devices[device.index].device) : std::nullopt};
}

}  // namespace

void CompareRuns::begin(const std::string& path, std::optional<RankPlace> rank) {
    if (session_.current_timeline() == nullptr) return;
    discard_opening();
    comparing_.discard();
    CompareState fresh;
    fresh.is_open = true;
    fresh.by = state_.by;
    fresh.basis = state_.basis;
    fresh.path = files::absolute_path(path);
    state_ = std::move(fresh);
    session_.notice.clear();
    rank_b_ = std::move(rank);
    need_characters(state_.path);
}

void CompareRuns::adopt_other(std::shared_ptr<const Document> other) {
    state_.other = std::move(other);
    const auto of_rank = rank_b_ ? device_of_rank(*state_.other->snapshot, *rank_b_) : std::nullopt;
    state_.device_b = of_rank.value_or(state_.other->default_device);
}

ComparisonInput CompareRuns::wanted() const {
    return {{session_.document, session_.device_index}, {state_.other, state_.device_b}, state_.by, state_.basis};
}

bool CompareRuns::is_out_of_date() const {
    if (!is_shown()) return false;
    return state_.other == nullptr ? !state_.work.is_at_rest() : comparing_.input() != wanted();
}

void CompareRuns::discard_opening() {
    if (opening_.is_busy()) remote::end_fetches(state_.path);
    opening_.discard();
}

/// Called when the open document has changed. If the window is open, the new A is compared with the same B; otherwise B is
/// dropped. If one file is both A and B, B is taken from the new document too.
void CompareRuns::follow_document() {
    if (document_ == session_.document) return;
    if (!is_shown()) state_ = CompareState{};
    discard_opening();
    comparing_.discard();
    state_.shown.reset();
    forget_highlight();
    state_.work.restart();
    if (state_.other == document_) state_.other.reset();
    document_ = session_.document;
}

void CompareRuns::take() {
    if (const auto opened = state_.work.take(opening_.take())) {
        need_characters(opened->characters);
        adopt_other(opened->document);
    }
    if (const auto compared = state_.work.take(comparing_.take())) {
        if (state_.shown != nullptr && state_.shown->input.b != (*compared)->input.b) state_.highlight_b.reset();
        state_.shown = *compared;
        for (const SettingDifference& each : state_.shown->comparison.settings) need_characters(each.key + each.a + each.b);
    }
}

void CompareRuns::open_other() {
    const bool is_open_already =
        state_.path == document_->path && document_->with.empty() && opener_.on_disk() == files::DiskChange::none;
    if (is_open_already) return adopt_other(document_);
    // The download of a remote B starts here, because the worker runs in a sandbox and cannot start ssh.
    if (const Status fetched = remote::start_fetch(state_.path, ChildProgram::Terminal::none); !fetched)
        state_.work.error = fetched.error().text();
    else
        opening_.start(0, [path = state_.path](Progress& progress) { return open_other_file(path, progress); });
}

void CompareRuns::begin_next() {
    if (state_.other == nullptr && !opening_.is_busy()) open_other();
    if (state_.other == nullptr) return;
    const ComparisonInput input = wanted();
    const ShownComparison* shown = state_.shown.get();
    const bool is_same_pair = shown != nullptr && shown->input.a == input.a && shown->input.b == input.b;
    comparing_.follow(input, input.read_bytes(), [input, both = is_same_pair ? shown->both : nullptr](Progress&) {
        return compare_files(input, both);
    });
}

void CompareRuns::show_work() {
    state_.work.status.clear();
    if (opening_.is_busy()) {
        state_.work.status = std::string("Opening B: ") + stage_text(opening_.progress().stage());
        state_.work.fraction = opening_.progress().fraction();
    } else if (comparing_.is_busy()) {
        state_.work.status = "Comparing";
        state_.work.fraction = comparing_.progress().fraction();
    }
}

void CompareRuns::update() {
    follow_document();
    if (const auto database = both()) database->set_allocs_device(session_.device_index);
    if (!is_shown()) {
        discard_opening();
        if (comparing_.is_busy()) comparing_.discard();
        state_.work.status.clear();
        return;
    }
    take();
    follow_search();
    // A failed comparison is repeated if the options have changed, because the new ones may succeed.
    if (state_.work.is_at_rest() && comparing_.input() && comparing_.input() != wanted()) restart();
    if (!state_.work.is_at_rest()) begin_next();
    show_work();
}

void CompareRuns::stop() {
    if (!is_working()) return;
    discard_opening();
    comparing_.stop();
    state_.work.stop();
}

void CompareRuns::restart() {
    state_.work.restart();
    comparing_.discard();
}

/// Removes the highlight in B when A gets another highlight.
void CompareRuns::follow_search() {
    const auto* sought = session_.highlight.as<AllocationsSought>();
    if (!state_.highlight_name.empty() && (sought == nullptr || sought->name != state_.highlight_name)) forget_highlight();
}

void CompareRuns::forget_highlight() {
    state_.chosen_key.clear();
    state_.highlight_name.clear();
    state_.highlight_b.reset();
}

void CompareRuns::highlight(const std::vector<std::string>& keys, const std::string& name) {
    const ShownComparison& shown = *state_.shown;
    const CompareBasis basis = shown.input.basis;
    const Timeline& timeline_b = shown.input.b.analyses().timeline();
    const auto ids_b = shown.stacks_b.allocations_of(timeline_b, keys, basis);
    state_.highlight_b = std::make_shared<const Emphasis>(Emphasis::where(
        timeline_b.allocation_count(), [&](AllocationId id) { return std::ranges::binary_search(ids_b, id); }));
    AllocationsSought sought{shown.stacks_a.allocations_of(shown.input.a.analyses().timeline(), keys, basis), name};
    pictures_.show(shown.input.a.index, ViewKind::allocations);
    state_.highlight_name.clear();
    if (sought.ids.empty()) {
        if (session_.highlight.as<AllocationsSought>() != nullptr) selection_.close_search();
        session_.notice = "A allocated nothing that belongs to this row: " + name;
        return;
    }
    state_.highlight_name = name;
    selection_.highlight(std::move(sought));
    session_.current_device().view = fit_view(session_.current_limits());
}

void CompareRuns::go_to(const std::string& key) {
    if (!is_of_open_file()) return;
    std::string name;
    for (const ComparedBox box : k_compared_boxes) {
        for (const PeakComparison::Row& row : rows_of(state_.shown->comparison.peaks, box)) {
            if (row.key == key) name = row.source;
        }
    }
    highlight({key}, name);
    state_.chosen_key = key;
}

void CompareRuns::show_box(std::optional<ComparedBox> box) {
    if (!is_of_open_file()) return;
    if (!box) {
        if (!state_.highlight_name.empty()) selection_.close_search();
        return forget_highlight();
    }
    std::vector<std::string> keys;
    for (const PeakComparison::Row& row : rows_of(state_.shown->comparison.peaks, *box)) keys.push_back(row.key);
    highlight(keys, compared_box_words(*box));
    state_.chosen_key.clear();
}

/// True if the displayed comparison has a device of the open file as A.
bool CompareRuns::is_of_open_file() const {
    return state_.shown != nullptr && state_.shown->input.a.document == session_.document &&
           state_.shown->input.a.index < session_.devices.size();
}

std::shared_ptr<query::Database> CompareRuns::both() const { return is_of_open_file() ? state_.shown->both : nullptr; }

std::string CompareRuns::command_line() const {
    if (state_.shown == nullptr) return "";
    const ComparisonInput& input = state_.shown->input;
    return compare_command_line(file_of(input.a), file_of(input.b), input.by, input.basis);
}

void CompareRuns::connect(Switchboard& board) {
    board.commands.on(
        CommandId::tools_compare,
        {.is_possible = [this](const Session& session) { return has_picture(session) && !state_.path.empty(); },
         .doc = [this](const Session&) -> std::string {
             return state_.path.empty() ? "File > Compare with… chooses another file"
                                        : "How this file and another differ at their peaks";
         },
         .run = [this] { session_.open_window(state_.is_open); }});
    board.commands.on(CommandId::compare_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::compare_restart, {.run = [this] { restart(); }});
    board.commands.on(CommandId::compare_copy, {.run = [this, &board] {
                          const std::string line = command_line();
                          if (!line.empty()) board.requests.ask(CopyText{line, "The command"});
                      }});
    board.handlers.on<CompareWith>([this](const CompareWith& asked) { begin(asked.path); });
}

namespace {

using Row = PeakComparison::Row;

struct BoxInfo {
    const char* name;
    const char* words;
    const char* letters;  ///< words in the table
    std::vector<Row> PeakComparison::*rows;
};
/// The boxes, indexed by ComparedBox.
constexpr std::array k_boxes = {BoxInfo{"only_a", "Only in A", "A", &PeakComparison::only_a},
                                BoxInfo{"both", "In both", "both", &PeakComparison::both},
                                BoxInfo{"only_b", "Only in B", "B", &PeakComparison::only_b}};
const BoxInfo& info_of(ComparedBox box) { return k_boxes[static_cast<std::size_t>(box)]; }

std::string amount(std::uint64_t bytes) { return bytes == 0 ? "-" : format_bytes(bytes); }
std::string number(std::uint64_t count) { return count == 0 ? "-" : format_count(count); }

constexpr std::array<ComparedColumnInfo, 7> k_table_columns = {{
    {.header = {.title = "Source", .name = "source", .doc = "The line that stands for the stack"},
     .shown = [](const Row& row, ComparedBox) { return row.source; }},
    {.header = {.title = "In", .name = "box", .width_px = 52, .doc = "Which recording holds it at its peak"},
     .shown = [](const Row&, ComparedBox box) { return std::string(info_of(box).letters); },
     .number = [](const Row&, ComparedBox box) { return static_cast<std::uint64_t>(box); }},
    {.header = {.title = "A", .name = "bytes_a", .width_px = 84, .doc = "Bytes it held at A's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return amount(row.bytes_a); },
     .number = [](const Row& row, ComparedBox) { return row.bytes_a; }},
    {.header = {.title = "B", .name = "bytes_b", .width_px = 84, .doc = "Bytes it held at B's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return amount(row.bytes_b); },
     .number = [](const Row& row, ComparedBox) { return row.bytes_b; }},
    {.header = {.title = "Difference",
                .name = "delta",
                .width_px = 96,
                .doc = "B minus A; largest change first, whether more or less",
                .largest_first = true,
                .is_sorted_first = true},
     .shown = [](const Row& row, ComparedBox) { return format_difference(row.delta_bytes()); },
     .number = [](const Row& row, ComparedBox) { return static_cast<std::uint64_t>(std::abs(row.delta_bytes())); }},
    {.header =
         {.title = "# in A", .name = "count_a", .width_px = 64, .doc = "Allocations at A's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return number(row.count_a); },
     .number = [](const Row& row, ComparedBox) { return std::uint64_t{row.count_a}; }},
    {.header =
         {.title = "# in B", .name = "count_b", .width_px = 64, .doc = "Allocations at B's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return number(row.count_b); },
     .number = [](const Row& row, ComparedBox) { return std::uint64_t{row.count_b}; }},
}};

}  // namespace

std::span<const ComparedColumnInfo> compared_columns() { return k_table_columns; }

const char* compared_box_name(ComparedBox box) { return info_of(box).name; }
const char* compared_box_words(ComparedBox box) { return info_of(box).words; }
const std::vector<Row>& rows_of(const PeakComparison& peaks, ComparedBox box) { return peaks.*info_of(box).rows; }

std::vector<ComparedPlace> arrange(const PeakComparison& peaks, const ComparedOrder& order) {
    std::vector<ComparedPlace> places;
    for (const ComparedBox box : k_compared_boxes) {
        if (order.only && order.only != box) continue;
        for (std::uint32_t row = 0; row < rows_of(peaks, box).size(); ++row) places.push_back({box, row});
    }
    const auto row_at = [&](const ComparedPlace& place) -> const Row& { return rows_of(peaks, place.box)[place.row]; };
    const ComparedColumnInfo& column = k_table_columns[static_cast<std::size_t>(order.by)];
    std::ranges::stable_sort(places, [&](const ComparedPlace& a, const ComparedPlace& b) {
        const ComparedPlace& first = order.is_descending ? b : a;
        const ComparedPlace& second = order.is_descending ? a : b;
        if (column.number == nullptr) return row_at(first).source < row_at(second).source;
        return column.number(row_at(first), first.box) < column.number(row_at(second), second.box);
    });
    return places;
}

}  // namespace snapviewer::compare
