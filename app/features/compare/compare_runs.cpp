#include "app/features/compare/compare_runs.h"

#include <algorithm>
#include <utility>

#include "app/features/compare/compare_text.h"
#include "app/features/files/file_opener.h"
#include "app/ui/characters.h"
#include "core/load/remote/fetch.h"

namespace snapviewer {
namespace {

ComparedFile file_of(const OpenDevice& device) {
    const Snapshot& snapshot = *device.document->snapshot;
    return {device.document->path,
            snapshot.devices.size() > 1 ? std::optional(snapshot.devices[device.index].device) : std::nullopt};
}

}  // namespace

void CompareRuns::begin(const std::string& path, std::optional<RankPlace> rank) {
    if (state_.current_timeline() == nullptr) return;
    discard();
    CompareState fresh;
    fresh.is_open = true;
    fresh.by = state_.compare.by;
    fresh.basis = state_.compare.basis;
    fresh.path = absolute_path(path);
    state_.compare = std::move(fresh);
    state_.notice.clear();
    rank_b_ = std::move(rank);
    asked_.reset();
    need_characters(state_.compare.path);
}

void CompareRuns::adopt_other(std::shared_ptr<const Document> other) {
    CompareState& page = state_.compare;
    page.other = std::move(other);
    const auto of_rank = rank_b_ ? device_of_rank(*page.other->snapshot, *rank_b_) : std::nullopt;
    page.device_b = of_rank.value_or(page.other->default_device);
}

ComparisonTask CompareRuns::wanted() const {
    const CompareState& page = state_.compare;
    return {{state_.document, state_.device_index}, {page.other, page.device_b}, page.by, page.basis};
}

bool CompareRuns::is_out_of_date() const {
    if (!is_shown() || (state_.compare.work.is_at_rest() && asked_ && *asked_ == wanted())) return false;
    return state_.compare.other == nullptr ? !state_.compare.work.is_at_rest() : !asked_ || *asked_ != wanted();
}

void CompareRuns::discard() {
    if (comparing_.is_busy()) asked_.reset();
    if (opening_.is_busy()) end_fetches(state_.compare.path);
    opening_.discard();
    comparing_.discard();
}

/// Called when the open document has changed. If the window is open, the new A is compared with the same B; otherwise B is
/// dropped. If one file is both A and B, B is taken from the new document too.
void CompareRuns::follow_document() {
    if (document_ == state_.document) return;
    CompareState& page = state_.compare;
    if (!is_shown()) page = CompareState{};
    discard();
    page.shown.reset();
    page.chosen_key.clear();
    page.lit_name.clear();
    page.lit_b.reset();
    page.work.restart();
    if (page.other == document_) page.other.reset();
    document_ = state_.document;
    asked_.reset();
}

void CompareRuns::take() {
    CompareState& page = state_.compare;
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
            for (const SettingDifference& each : page.shown->comparison.settings)
                need_characters(each.key + each.a + each.b);
        } else {
            page.work.error = compared->error().text();
        }
    }
}

void CompareRuns::begin_next() {
    CompareState& page = state_.compare;
    if (page.other == nullptr) {
        if (opening_.is_busy()) return;
        const bool is_open_already =
            page.path == document_->path && document_->with.empty() && state_.on_disk == DiskChange::none;
        if (!is_open_already) {
            // downloads a remote B here, because the worker runs in a sandbox and cannot start the download
            if (const Status fetched = start_fetch(page.path, ChildProgram::Terminal::none); !fetched) {
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
    CompareState& page = state_.compare;
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
    CompareState& page = state_.compare;
    if (const auto database = both()) database->set_allocs_device(state_.device_index);
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
    state_.compare.work.stop();
}

void CompareRuns::restart() {
    state_.compare.work.restart();
    asked_.reset();
}

/// Removes the highlight in B when A gets another highlight.
void CompareRuns::follow_search() {
    CompareState& page = state_.compare;
    if (page.lit_name.empty()) return;
    const auto* sought = state_.search.as<AllocationsSought>();
    if (sought != nullptr && sought->name == page.lit_name) return;
    page.lit_name.clear();
    page.lit_b.reset();
    page.chosen_key.clear();
}

void CompareRuns::light(const std::vector<std::string>& keys, const std::string& name) {
    CompareState& page = state_.compare;
    const ShownComparison& shown = *page.shown;
    const CompareBasis basis = shown.task.basis;
    const Timeline& timeline_b = shown.task.b.analyses().timeline();
    const auto ids_b = shown.stacks_b.allocations_of(timeline_b, keys, basis);
    page.lit_b = std::make_shared<const Emphasis>(Emphasis::where(
        timeline_b.allocation_count(), [&](AllocationId id) { return std::ranges::binary_search(ids_b, id); }));
    AllocationsSought sought{shown.stacks_a.allocations_of(shown.task.a.analyses().timeline(), keys, basis), name};
    pictures_.show(shown.task.a.index, ViewKind::allocations);
    page.lit_name.clear();
    if (sought.ids.empty()) {
        if (state_.search.as<AllocationsSought>() != nullptr) selection_.close_search();
        state_.notice = "A allocated nothing that belongs to this row: " + name;
        return;
    }
    page.lit_name = name;
    selection_.emphasise(std::move(sought));
    state_.current_device().view = fit_view(state_.current_limits());
}

void CompareRuns::go_to(const std::string& key) {
    CompareState& page = state_.compare;
    if (!is_of_open_file()) return;
    std::string name;
    for (const ComparedBox box : k_compared_boxes) {
        for (const PeakComparison::Row& row : rows_of(page.shown->comparison.peaks, box)) {
            if (row.key == key) name = row.source;
        }
    }
    light({key}, name);
    page.chosen_key = key;
}

void CompareRuns::show_box(std::optional<ComparedBox> box) {
    CompareState& page = state_.compare;
    if (!is_of_open_file()) return;
    page.chosen_key.clear();
    if (box) {
        std::vector<std::string> keys;
        for (const PeakComparison::Row& row : rows_of(page.shown->comparison.peaks, *box)) keys.push_back(row.key);
        light(keys, compared_box_words(*box));
        return;
    }
    if (!page.lit_name.empty()) selection_.close_search();
    page.lit_name.clear();
    page.lit_b.reset();
}

/// True if the displayed comparison has a device of the open file as A.
bool CompareRuns::is_of_open_file() const {
    const CompareState& page = state_.compare;
    return page.shown != nullptr && page.shown->task.a.document == state_.document &&
           page.shown->task.a.index < state_.devices.size();
}

std::shared_ptr<Database> CompareRuns::both() const { return is_of_open_file() ? state_.compare.shown->both : nullptr; }

std::string CompareRuns::command_line() const {
    const CompareState& page = state_.compare;
    if (page.shown == nullptr) return "";
    const ComparisonTask& task = page.shown->task;
    return compare_command_line(file_of(task.a), file_of(task.b), task.by, task.basis);
}

}  // namespace snapviewer
