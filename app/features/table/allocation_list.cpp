#include "app/features/table/allocation_list.h"
#include "app/system/window_system.h"

#include <imgui.h>

#include <utility>

#include "core/base/number_text.h"

namespace snapviewer {

void AllocationList::forget() {
    arranging_.discard();
    timeline_.reset();
    state_.table.rows.reset();
    state_.table.arranged.reset();
}

std::shared_ptr<const Timeline> AllocationList::wanted_timeline() const {
    if (!state_.table.is_open || state_.current_timeline() == nullptr) return nullptr;
    return state_.devices[state_.device_index].current().made.timeline;
}

/// The list is restricted to search results only if they belong to the current picture.
RowArrangement AllocationList::wanted_arrangement() const {
    RowArrangement wanted = state_.table.wanted;
    const auto& found = state_.search.emphasis;
    const bool is_of_this = found != nullptr && found->allocation_count() == state_.current_timeline()->allocation_count();
    wanted.among = state_.table.only_hits && is_of_this ? found : nullptr;
    return wanted;
}

bool AllocationList::wants_other_rows() const {
    const std::shared_ptr<const Timeline> timeline = wanted_timeline();
    return timeline != timeline_ || (timeline != nullptr && wanted_arrangement() != asked_);
}

void AllocationList::follow() {
    if (!wants_other_rows()) return;
    const std::shared_ptr<const Timeline> timeline = wanted_timeline();
    if (timeline != timeline_) forget();
    if (timeline == nullptr) return;
    timeline_ = timeline;
    asked_ = wanted_arrangement();
    const bool has_ids = state_.current_kind() == ViewKind::allocations;
    const std::int64_t first_id = has_ids ? first_allocation_row(*state_.document->snapshot, state_.device_index) : 0;
    arranging_.start(make_arranging_job({state_.table.rows, timeline, first_id, asked_}));
}

void AllocationList::take_written() {
    const std::optional<WrittenRows> written = writing_.take();
    if (!written) return;
    const std::string rows = counted(written->count, "row");
    if (!written->status) {
        state_.notice = written->status.error().text();
    } else if (written->path.empty()) {
        ImGui::SetClipboardText(written->text.c_str());
        state_.toasts.say(rows + (written->count == 1 ? " is" : " are") + " in the clipboard");
    } else {
        give_to_user(written->path);
        state_.toasts.say("Saved " + rows + " as " + written->path);
    }
}

void AllocationList::update() {
    follow();
    if (std::optional<ArrangedTable> arranged = arranging_.take()) {
        state_.table.rows = std::move(arranged->rows);
        state_.table.arranged = std::move(arranged->arranged);
        state_.table.shown = std::move(arranged->arrangement);
        state_.table.has_new_rows = true;
    }
    take_written();
    state_.table.is_arranging = arranging_.is_busy();
}

void AllocationList::write(const std::string& path) {
    const AllocationTableState& table = state_.table;
    if (table.arranged != nullptr) writing_.start(make_writing_job({table.rows, table.arranged, table.columns, path}));
}

void AllocationList::save(const std::string& path) { write(path); }

void AllocationList::copy() { write(""); }

}  // namespace snapviewer
