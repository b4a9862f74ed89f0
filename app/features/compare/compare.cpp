#include "app/features/compare/compare.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/features/compare/compared_pictures.h"
#include "app/features/files/files.h"
#include "app/features/session.h"
#include "app/system/window_system.h"
#include "app/ui/sandboxed.h"
#include "app/ui/texts.h"
#include "core/analysis/report/report.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/load/remote/fetch.h"
#include "core/query/database.h"

namespace snapviewer {
namespace {

constexpr const char* k_side_names[] = {"A", "B"};

const char* row_noun(compare::CompareBy by) {
    switch (by) {
        case compare::CompareBy::stack: return "stack";
        case compare::CompareBy::function: return "call path";
        case compare::CompareBy::python: return "Python stack";
        case compare::CompareBy::source: return "line";
        case compare::CompareBy::kind: return "kind";
        case compare::CompareBy::module: return "module";
    }
    return "";
}

}  // namespace

std::string peaks_sentence(const compare::Comparison& comparison) {
    const std::int64_t delta = comparison.delta_bytes();
    if (comparison.a.known.is_lower_bound || comparison.b.known.is_lower_bound) {
        return fmt::format("A: {} {}, B: {} {}. Which peak is higher is unknown.", comparison.a.label(),
                           format_bytes(comparison.a.bytes), comparison.b.label(), format_bytes(comparison.b.bytes));
    }
    if (delta == 0) return "Both peaks are equal.";
    return fmt::format("B peaks {} {} than A.", format_bytes(static_cast<std::uint64_t>(delta < 0 ? -delta : delta)),
                       delta < 0 ? "lower" : "higher");
}

std::string sums_words(std::size_t rows, const compare::ComparedSums& sums, compare::CompareBy by) {
    const std::string allocations = sums.count_a == 0 || sums.count_b == 0
                                        ? format_count(sums.count_a + sums.count_b)
                                        : format_count(sums.count_a) + " → " + format_count(sums.count_b);
    return fmt::format("{}, {} allocation{}", counted(rows, row_noun(by)), allocations, allocations == "1" ? "" : "s");
}

std::string alignment_sentence(const compare::Alignment& alignment, const steps::Steps& a, const steps::Steps& b) {
    const std::size_t count = alignment.steps.size();
    const std::string pairs = counted(count, "pair");
    switch (alignment.method) {
        case compare::Alignment::Method::step_number: return "Aligned by training step number: " + pairs + ".";
        case compare::Alignment::Method::step_order: return "Aligned by complete training steps, in order: " + pairs + ".";
        case compare::Alignment::Method::start: break;
    }
    const int missing = a.steps.empty() && b.steps.empty() ? -1 : a.steps.empty() ? 0 : 1;
    return fmt::format("Each recording is scaled to the full width, because no training steps were found in {}.",
                       missing < 0 ? "either" : k_side_names[missing]);
}

std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, compare::CompareBy by,
                                 compare::CompareBasis basis) {
    std::string line =
        fmt::format("snapviewer compare {} {}", shell_word(users_path(a.path)), shell_word(users_path(b.path)));
    if (a.device) line += fmt::format(" --device {}", *a.device);
    if (b.device) line += fmt::format(" --device2 {}", *b.device);
    if (by != compare::CompareBy::stack) line += " --by " + compare::compare_by_names()[static_cast<std::size_t>(by)];
    if (basis != compare::CompareBasis::all)
        line += " --basis " + compare::compare_basis_names()[static_cast<std::size_t>(basis)];
    return line;
}

namespace {

constexpr std::size_t k_compared_columns = 512;
constexpr std::uint64_t k_work_parts = 4;

ComparisonOutcome compare_files(const ComparisonTask& task, std::shared_ptr<query::Database> both) {
    findings::DeviceAnalyses& a = task.a.analyses();
    findings::DeviceAnalyses& b = task.b.analyses();
    auto comparison = compare::compare_devices(a, b, task.by, task.basis);
    report_done(1, k_work_parts);
    const auto steps_a = a.steps();
    report_done(2, k_work_parts);
    const auto steps_b = b.steps();
    report_done(3, k_work_parts);
    auto stacks_a = compare::ComparedStacks::build(a, task.by);
    auto stacks_b = compare::ComparedStacks::build(b, task.by);
    if (both == nullptr) {
        const std::string name_b = std::filesystem::path(task.b.document->path).filename().string();
        both = value_or_throw(task.a.document->database->joined_with(*task.b.document->database, name_b, task.b.index));
    }
    compare::Alignment alignment = compare::align_steps(*steps_a, *steps_b);
    compare::AlignedCurves curves = compare::align_curves(a.timeline(), b.timeline(), alignment, k_compared_columns);
    std::vector<std::string> limits = report::comparison_limits(a, b, comparison);
    return std::make_shared<const ShownComparison>(
        ShownComparison{task, std::move(comparison), steps_a, steps_b, std::move(alignment), std::move(curves),
                        std::move(stacks_a), std::move(stacks_b), std::move(both), std::move(limits)});
}

}  // namespace

Job<OtherFileOutcome>::Work make_other_opening_job(std::string path) {
    return [path = std::move(path)](Progress& progress) {
        return within_memory<OtherFileOutcome>([&]() -> OtherFileOutcome {
            auto document = open_document(path, {.mesh = false}, progress);
            if (!document) return document.error();
            if ((*document)->devices.empty())
                return Error{ErrorCode::bad_file, "holds no allocations over time to compare", {}, {}};
            CharacterSet characters = characters_of(**document);
            return std::make_shared<const OtherFile>(OtherFile{std::move(*document), std::move(characters)});
        });
    };
}

Job<ComparisonOutcome>::Work make_comparing_job(ComparisonTask task, std::shared_ptr<query::Database> both) {
    return [task = std::move(task), both = std::move(both)](Progress&) {
        return within_memory<ComparisonOutcome>(task.read_bytes(), [&] { return compare_files(task, both); });
    };
}

namespace {

ComparedFile file_of(const OpenDevice& device) {
    const Snapshot& snapshot = *device.document->snapshot;
    return {device.document->path,
            snapshot.devices.size() > 1 ? std::optional(snapshot.devices[device.index].device) : std::nullopt};
}

}  // namespace

void CompareRuns::begin(const std::string& path, std::optional<RankPlace> rank) {
    if (session_.current_timeline() == nullptr) return;
    discard();
    CompareState fresh;
    fresh.is_open = true;
    fresh.by = session_.compare.by;
    fresh.basis = session_.compare.basis;
    fresh.path = absolute_path(path);
    session_.compare = std::move(fresh);
    session_.notice.clear();
    rank_b_ = std::move(rank);
    asked_.reset();
    need_characters(session_.compare.path);
}

void CompareRuns::adopt_other(std::shared_ptr<const Document> other) {
    CompareState& page = session_.compare;
    page.other = std::move(other);
    const auto of_rank = rank_b_ ? device_of_rank(*page.other->snapshot, *rank_b_) : std::nullopt;
    page.device_b = of_rank.value_or(page.other->default_device);
}

ComparisonTask CompareRuns::wanted() const {
    const CompareState& page = session_.compare;
    return {{session_.document, session_.device_index}, {page.other, page.device_b}, page.by, page.basis};
}

bool CompareRuns::is_out_of_date() const {
    if (!is_shown() || (session_.compare.work.is_at_rest() && asked_ && *asked_ == wanted())) return false;
    return session_.compare.other == nullptr ? !session_.compare.work.is_at_rest() : !asked_ || *asked_ != wanted();
}

void CompareRuns::discard() {
    if (comparing_.is_busy()) asked_.reset();
    if (opening_.is_busy()) remote::end_fetches(session_.compare.path);
    opening_.discard();
    comparing_.discard();
}

/// Called when the open document has changed. If the window is open, the new A is compared with the same B; otherwise B is
/// dropped. If one file is both A and B, B is taken from the new document too.
void CompareRuns::follow_document() {
    if (document_ == session_.document) return;
    CompareState& page = session_.compare;
    if (!is_shown()) page = CompareState{};
    discard();
    page.shown.reset();
    page.chosen_key.clear();
    page.lit_name.clear();
    page.lit_b.reset();
    page.work.restart();
    if (page.other == document_) page.other.reset();
    document_ = session_.document;
    asked_.reset();
}

void CompareRuns::take() {
    CompareState& page = session_.compare;
    if (auto opened = opening_.take()) {
        if (*opened) {
            need_characters((**opened)->characters);
            adopt_other((**opened)->document);
        } else {
            page.work.error = opened->error().text();
        }
    }
    if (auto compared = comparing_.take()) {
        if (*compared) {
            if (page.shown != nullptr && page.shown->task.b != (**compared)->task.b) page.lit_b.reset();
            page.shown = std::move(**compared);
            for (const compare::SettingDifference& each : page.shown->comparison.settings)
                need_characters(each.key + each.a + each.b);
        } else {
            page.work.error = compared->error().text();
        }
    }
}

void CompareRuns::begin_next() {
    CompareState& page = session_.compare;
    if (page.other == nullptr) {
        if (opening_.is_busy()) return;
        const bool is_open_already =
            page.path == document_->path && document_->with.empty() && session_.on_disk == DiskChange::none;
        if (!is_open_already) {
            // downloads a remote B here, because the worker runs in a sandbox and cannot start the download
            if (const Status fetched = remote::start_fetch(page.path, ChildProgram::Terminal::none); !fetched) {
                page.work.error = fetched.error().text();
                return;
            }
            opening_.start(make_other_opening_job(page.path));
            return;
        }
        adopt_other(document_);
    }
    if (asked_ && *asked_ == wanted()) return;
    asked_ = wanted();
    const bool is_same_pair = page.shown != nullptr && page.shown->task.a == asked_->a && page.shown->task.b == asked_->b;
    comparing_.start(make_comparing_job(*asked_, is_same_pair ? page.shown->both : nullptr));
}

void CompareRuns::show_work() {
    CompareState& page = session_.compare;
    page.work.status.clear();
    if (opening_.is_busy()) {
        page.work.status = std::string("Opening B: ") + stage_text(opening_.progress().stage());
        page.work.fraction = opening_.progress().fraction();
    } else if (comparing_.is_busy()) {
        page.work.status = "Comparing";
        page.work.fraction = comparing_.progress().fraction();
    }
}

void CompareRuns::update() {
    follow_document();
    CompareState& page = session_.compare;
    if (const auto database = both()) database->set_allocs_device(session_.device_index);
    if (!is_shown()) {
        if (is_working()) discard();
        page.work.status.clear();
        return;
    }
    take();
    follow_search();
    // restarts after a failure if the options have changed, because the new ones may succeed
    if (page.work.is_at_rest() && asked_ && *asked_ != wanted()) restart();
    if (!page.work.is_at_rest()) begin_next();
    show_work();
}

void CompareRuns::stop() {
    if (!is_working()) return;
    const bool is_comparing = comparing_.is_busy();
    discard();
    if (is_comparing) asked_ = wanted();
    session_.compare.work.stop();
}

void CompareRuns::restart() {
    session_.compare.work.restart();
    asked_.reset();
}

/// Removes the highlight in B when A gets another highlight.
void CompareRuns::follow_search() {
    CompareState& page = session_.compare;
    if (page.lit_name.empty()) return;
    const auto* sought = session_.search.as<AllocationsSought>();
    if (sought != nullptr && sought->name == page.lit_name) return;
    page.lit_name.clear();
    page.lit_b.reset();
    page.chosen_key.clear();
}

void CompareRuns::light(const std::vector<std::string>& keys, const std::string& name) {
    CompareState& page = session_.compare;
    const ShownComparison& shown = *page.shown;
    const compare::CompareBasis basis = shown.task.basis;
    const Timeline& timeline_b = shown.task.b.analyses().timeline();
    const auto ids_b = shown.stacks_b.allocations_of(timeline_b, keys, basis);
    page.lit_b = std::make_shared<const Emphasis>(Emphasis::where(
        timeline_b.allocation_count(), [&](AllocationId id) { return std::ranges::binary_search(ids_b, id); }));
    AllocationsSought sought{shown.stacks_a.allocations_of(shown.task.a.analyses().timeline(), keys, basis), name};
    pictures_.show(shown.task.a.index, ViewKind::allocations);
    page.lit_name.clear();
    if (sought.ids.empty()) {
        if (session_.search.as<AllocationsSought>() != nullptr) selection_.close_search();
        session_.notice = "A allocated nothing that belongs to this row: " + name;
        return;
    }
    page.lit_name = name;
    selection_.emphasise(std::move(sought));
    session_.current_device().view = fit_view(session_.current_limits());
}

void CompareRuns::go_to(const std::string& key) {
    CompareState& page = session_.compare;
    if (!is_of_open_file()) return;
    std::string name;
    for (const ComparedBox box : k_compared_boxes) {
        for (const compare::PeakComparison::Row& row : rows_of(page.shown->comparison.peaks, box)) {
            if (row.key == key) name = row.source;
        }
    }
    light({key}, name);
    page.chosen_key = key;
}

void CompareRuns::show_box(std::optional<ComparedBox> box) {
    CompareState& page = session_.compare;
    if (!is_of_open_file()) return;
    page.chosen_key.clear();
    if (box) {
        std::vector<std::string> keys;
        for (const compare::PeakComparison::Row& row : rows_of(page.shown->comparison.peaks, *box)) keys.push_back(row.key);
        light(keys, compared_box_words(*box));
        return;
    }
    if (!page.lit_name.empty()) selection_.close_search();
    page.lit_name.clear();
    page.lit_b.reset();
}

/// True if the displayed comparison has a device of the open file as A.
bool CompareRuns::is_of_open_file() const {
    const CompareState& page = session_.compare;
    return page.shown != nullptr && page.shown->task.a.document == session_.document &&
           page.shown->task.a.index < session_.devices.size();
}

std::shared_ptr<query::Database> CompareRuns::both() const {
    return is_of_open_file() ? session_.compare.shown->both : nullptr;
}

std::string CompareRuns::command_line() const {
    const CompareState& page = session_.compare;
    if (page.shown == nullptr) return "";
    const ComparisonTask& task = page.shown->task;
    return compare_command_line(file_of(task.a), file_of(task.b), task.by, task.basis);
}

void CompareRuns::connect(Switchboard& board) {
    board.commands.on(
        CommandId::tools_compare,
        {.is_possible = [](const Session& session) { return has_picture(session) && !session.compare.path.empty(); },
         .doc =
             [](const Session& session) {
                 return std::string(session.compare.path.empty() ? "File > Compare with… chooses another file"
                                                                 : "How this file and another differ at their peaks");
             },
         .run = [this] { session_.open_window(session_.compare.is_open); }});
    board.commands.on(CommandId::compare_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::compare_restart, {.run = [this] { restart(); }});
    board.commands.on(CommandId::compare_copy, {.run = [this, &board] {
                          const std::string line = command_line();
                          if (!line.empty()) board.requests.ask(CopyText{line, "The command"});
                      }});
    board.handlers.on<CompareWith>([this](const CompareWith& asked) { begin(asked.path); });
    board.handlers.on<GoToCompared>([this](const GoToCompared& asked) { go_to(asked.key); });
    board.handlers.on<ShowComparedBox>([this](const ShowComparedBox& asked) { show_box(asked.box); });
}

namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_max_compared_rows = 50;

JsonValue boxes_json(const compare::PeakComparison& peaks) {
    JsonValue boxes = JsonValue::object();
    for (const ComparedBox box : k_compared_boxes) {
        const auto& rows = rows_of(peaks, box);
        const compare::ComparedSums sums(rows);
        boxes[compared_box_name(box)] = {{"rows", rows.size()},     {"bytes_a", sums.bytes_a},
                                         {"bytes_b", sums.bytes_b}, {"count_a", sums.count_a},
                                         {"count_b", sums.count_b}, {"delta", sums.delta_bytes()}};
    }
    return boxes;
}

JsonValue first_compared_rows(const CompareState& page) {
    JsonValue rows = JsonValue::array();
    if (page.arranged != page.shown.get()) return rows;
    for (std::size_t i = 0; i < std::min(page.places.size(), k_max_compared_rows); ++i) {
        const ComparedPlace& place = page.places[i];
        const compare::PeakComparison::Row& row = rows_of(page.shown->comparison.peaks, place.box)[place.row];
        rows.push_back({{"key", row.key},
                        {"source", row.source},
                        {"box", compared_box_name(place.box)},
                        {"bytes_a", row.bytes_a},
                        {"count_a", row.count_a},
                        {"bytes_b", row.bytes_b},
                        {"count_b", row.count_b},
                        {"delta", row.delta_bytes()}});
    }
    return rows;
}

JsonValue most_of(const std::vector<std::optional<std::uint64_t>>& totals) {
    std::uint64_t most = 0;
    for (const auto& bytes : totals) most = std::max(most, bytes.value_or(0));
    return most;
}

JsonValue view_json(const View& view) { return {view.x_begin, view.x_end, view.y_begin, view.y_end}; }

JsonValue compared_allocation_json(const std::optional<ComparedAllocation>& allocation) {
    if (!allocation) return nullptr;
    return {{"side", allocation->side == ComparedSide::a ? "a" : "b"}, {"index", allocation->id.value}};
}

JsonValue compared_pictures_json(const CompareState& page) {
    const ComparedPicturesState& pictures = page.pictures;
    if (pictures.made == nullptr) return nullptr;
    const compare::SharedAxis axis = pictures.made->axis().moved(pictures.later_steps);
    const Timeline& b = pictures.made->timeline_b();
    return {{"view", view_json(pictures.view)},
            {"later_steps", pictures.later_steps},
            {"axis", {axis.begin(), axis.end()}},
            {"b_lies", {axis.place_of_b(0), axis.place_of_b(static_cast<double>(b.step_count()))}},
            {"curves_follow", (pictures.later_steps != 0) == (pictures.moved_curves != nullptr)},
            {"hovered", compared_allocation_json(pictures.hovered)},
            {"chosen", compared_allocation_json(pictures.chosen)},
            {"lit_b", page.lit_b == nullptr ? JsonValue(nullptr) : JsonValue(page.lit_b->count())},
            {"error", pictures.error}};
}

JsonValue shown_json(const CompareState& page) {
    const ShownComparison& shown = *page.shown;
    JsonValue settings = JsonValue::array();
    for (const compare::SettingDifference& each : shown.comparison.settings)
        settings.push_back({{"key", each.key}, {"a", each.a}, {"b", each.b}});
    return {{"by", compare::compare_by_names()[static_cast<std::size_t>(shown.comparison.by)]},
            {"basis", compare::compare_basis_names()[static_cast<std::size_t>(shown.comparison.basis)]},
            {"peak_a", shown.comparison.a.bytes},
            {"peak_b", shown.comparison.b.bytes},
            {"peak_a_is_lower_bound", shown.comparison.a.known.is_lower_bound},
            {"peak_b_is_lower_bound", shown.comparison.b.known.is_lower_bound},
            {"reserved_a", shown.comparison.a.reserved_bytes},
            {"reserved_b", shown.comparison.b.reserved_bytes},
            {"delta", shown.comparison.delta_bytes()},
            {"groups", boxes_json(shown.comparison.peaks)},
            {"rows", page.places.size()},
            {"first_rows", first_compared_rows(page)},
            {"settings", std::move(settings)},
            {"alignment",
             {{"method", compare::alignment_method_name(shown.alignment.method)}, {"points", shown.alignment.points}}},
            {"curves", {{"most_a", most_of(shown.curves.a)}, {"most_b", most_of(shown.curves.b)}}},
            {"sentence", peaks_sentence(shown.comparison)},
            {"aligned", alignment_sentence(shown.alignment, *shown.steps_a, *shown.steps_b)},
            {"limits", shown.limits}};
}

JsonValue compare_report(const Session& session) {
    if (!session.compare.is_open) return nullptr;
    const CompareState& page = session.compare;
    return {{"b", page.path},
            {"shown", page.shown ? shown_json(page) : JsonValue(nullptr)},
            {"chosen", page.chosen_key},
            {"pictures", compared_pictures_json(page)},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error}};
}

}  // namespace

void CompareRuns::describe(nlohmann::json& report) const { report["compare"] = compare_report(session_); }

}  // namespace snapviewer
