#include "app/features/live/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/features/timeline/stack_names.h"
#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/timeline/search.h"

namespace snapviewer::live {

void LivePage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_live_page,
                            .command = CommandId::page_live,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); },
                            .draw_in_picture = [this](Requests& requests) { draw_line(requests); }});
    board.handlers.on<ListLive>([this](const ListLive& asked) {
        if (session_.current_timeline() == nullptr) return;
        list(asked.tick);
        if (!session_.selected().is_some()) show_page();
    });
}

std::optional<std::uint32_t> LivePage::tick() const {
    const Timeline* timeline = session_.current_timeline();
    return timeline != nullptr && state_.timeline == timeline ? std::optional(state_.tick) : std::nullopt;
}

void LivePage::list(std::optional<std::uint32_t> tick) {
    const Timeline& timeline = *session_.current_timeline();
    const bool is_other = state_.timeline != &timeline;
    const std::uint32_t wanted = tick.value_or(is_other ? timeline.peak_tick() : state_.tick);
    if (!is_other && wanted == state_.tick) return;
    state_.timeline = &timeline;
    state_.tick = wanted;
    state_.totals = totals_by_stack(timeline, timeline.live_after_tick(wanted));
    state_.names = stack_names(timeline, state_.totals);
    state_.bytes = state_.count = 0;
    for (const StackTotal& total : state_.totals) {
        state_.bytes += total.bytes;
        state_.count += total.count;
    }
    arrange_live_rows(state_);
}

void LivePage::show_page() {
    SidePagesState& pages = session_.pages;
    pages.next = pages.shown == k_pins_page ? k_pins_page : k_live_page;
}

namespace {

bool is_before(const LiveListState& state, std::uint32_t a, std::uint32_t b) {
    switch (state.sorted_by) {
        case LiveColumn::bytes:
        case LiveColumn::share: return state.totals[a].bytes < state.totals[b].bytes;
        case LiveColumn::count: return state.totals[a].count < state.totals[b].count;
        case LiveColumn::stack: return state.names[a] < state.names[b];
    }
    return false;
}

}  // namespace

void arrange_live_rows(LiveListState& state) {
    state.order.clear();
    for (std::uint32_t row = 0; row < state.totals.size(); ++row) {
        if (state.filter.empty() || contains_pattern(state.names[row], state.filter)) state.order.push_back(row);
    }
    std::ranges::stable_sort(state.order, [&](std::uint32_t a, std::uint32_t b) {
        return state.is_descending ? is_before(state, b, a) : is_before(state, a, b);
    });
}

std::string live_rows_as_tsv(const LiveListState& state) {
    std::string text = "bytes\tcount\tstack\n";
    for (std::size_t i = 0; i < state.order.size(); ++i) {
        if (text.size() > limits::k_max_clipboard_bytes) return text + more_items(state.order.size() - i, "row") + "\n";
        const std::uint32_t row = state.order[i];
        text += fmt::format("{}\t{}\t{}\n", state.totals[row].bytes, state.totals[row].count, state.names[row]);
    }
    return text;
}

}  // namespace snapviewer::live
