#include "app/features/live/live.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/stack_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
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

namespace {

constexpr float k_min_width_of_all_px = 480;  ///< width at scale 1 from which on there is room for all columns

std::string moment_text(const LiveListState& state, const Timeline& timeline) {
    std::string text = "Live at " + tick_text(timeline, state.tick);
    if (state.tick == timeline.peak_tick()) text += fmt::format(", the {}", peak_moment_word(timeline));
    return text;
}

void draw_filter(LiveListState& state) {
    ImGui::SetNextItemWidth(-1);
    const std::string before = state.filter;
    ImGui::InputTextWithHint("##live filter", "Filter by file or function", &state.filter);
    observe_item("live_filter");
    if (state.filter != before) arrange_live_rows(state);
}

void draw_header(LiveListState& state, const Timeline& timeline, Requests& requests) {
    ImGui::TextUnformatted(moment_text(state, timeline).c_str());
    if (state.tick != timeline.peak_tick()) {
        ImGui::SameLine();
        if (observed(ImGui::SmallButton("Peak"), "live_peak")) requests.ask(ListLive{timeline.peak_tick()});
    }
    const std::string stacks = state.order.size() == state.totals.size()
                                   ? format_count(state.totals.size())
                                   : format_count(state.order.size()) + " of " + format_count(state.totals.size());
    dim_text(fmt::format("{} in {}, {} stack{}", format_bytes(state.bytes), counted(timeline, state.count), stacks,
                         state.totals.size() == 1 ? "" : "s"));
    if (ImGui::IsItemHovered())
        item_tooltip(
            "Click in the picture to list what is alive there; click a row to highlight all allocations of its stack");
    draw_filter(state);
}

double share_of(const LiveListState& state, const StackTotal& total) {
    return state.bytes == 0 ? 0 : static_cast<double>(total.bytes) / static_cast<double>(state.bytes);
}

/// Draws a bar behind the text of the cell; its length is the share.
void draw_share_bar(double share) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float length = std::max(1.0F, ImGui::GetContentRegionAvail().x * static_cast<float>(share));
    ImGui::GetWindowDrawList()->AddRectFilled(pos, {pos.x + length, pos.y + ImGui::GetTextLineHeight()},
                                              palette().accent_soft, scaled(2));
}

void draw_row_menu(LiveListState& state, std::size_t row, Requests& requests) {
    if (!ImGui::BeginPopupContextItem("row menu")) return;
    const StackTotal& total = state.totals[row];
    if (observed(ImGui::MenuItem("Copy this row"), "live_copy_row"))
        requests.ask(CopyText{fmt::format("{}\t{}\t{}", total.bytes, total.count, state.names[row]), "The row"});
    if (observed(ImGui::MenuItem("Copy all rows"), "live_copy_all"))
        requests.ask(CopyText{live_rows_as_tsv(state), "The list"});
    ImGui::EndPopup();
}

void draw_row(const DataTable& table, LiveListState& state, std::size_t shown_row, std::optional<StackId> highlighted,
              Requests& requests) {
    const std::size_t row = state.order[shown_row];
    const StackTotal& total = state.totals[row];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row));
    const bool stands_out = highlighted == total.stack;
    if (table.select(shown_row, stands_out))
        requests.ask(stands_out ? Request(RunCommand{CommandId::search_close}) : HighlightStack{total.stack});
    if (ImGui::IsItemHovered())
        row_tooltip(fmt::format("{} in {}, {:.1f} %\n{}", format_bytes_exactly(total.bytes), format_count(total.count),
                                100 * share_of(state, total), state.names[row]));
    draw_row_menu(state, row, requests);
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    if (state.is_narrow) draw_share_bar(share_of(state, total));
    right_text(format_bytes(total.bytes), palette().text);
    if (ImGui::TableNextColumn()) {
        draw_share_bar(share_of(state, total));
        right_text(fmt::format("{:.1f} %", 100 * share_of(state, total)), palette().text);
    }
    if (ImGui::TableNextColumn()) right_text(format_count(total.count), palette().text_dim);
    ImGui::TableNextColumn();
    const CodeFont code;
    ImGui::TextUnformatted(cut_stack_name(state.names[row], ImGui::GetContentRegionAvail().x).c_str());
}

/// Column descriptions in the order of LiveColumn.
std::array<TableColumn, 4> live_columns(bool is_narrow) {
    return {{{.title = "Live", .name = "bytes", .width_px = 78, .largest_first = true, .is_sorted_first = true},
             {.title = "Share", .name = "share", .width_px = 66, .largest_first = true, .has_no_room = is_narrow},
             {.title = "Count", .name = "count", .width_px = 62, .largest_first = true, .has_no_room = is_narrow},
             {.title = "Stack", .name = "stack"}}};
}

/// Height in pixels of the header and as many whole rows as fit into the window, at least one.
float table_height() {
    const float room = ImGui::GetContentRegionAvail().y;
    return std::max(2.0F, std::floor(room / DataTable::row_height())) * DataTable::row_height();
}

/// Scrolls by whole rows, so that the first visible row is not cut in half.
void scroll_by_whole_rows() {
    const float scroll = ImGui::GetScrollY();
    const float whole = std::round(scroll / DataTable::row_height()) * DataTable::row_height();
    if (whole != scroll && scroll < ImGui::GetScrollMaxY()) ImGui::SetScrollY(whole);
}

}  // namespace

void LivePage::draw(Requests& requests) {
    list(std::nullopt);
    draw_header(state_, *session_.current_timeline(), requests);
    state_.is_narrow = ImGui::GetContentRegionAvail().x < scaled(k_min_width_of_all_px);
    const auto columns = live_columns(state_.is_narrow);
    DataTable table({.id = "live", .report = "live", .columns = columns, .size = {0, table_height()}});
    if (!table) return;
    if (table.take_sorting(state_.sorted_by, state_.is_descending)) arrange_live_rows(state_);
    scroll_by_whole_rows();
    const std::optional<StackId> highlighted = session_.highlight.stack();
    table.rows(state_.order.size(), [&](std::size_t row) { draw_row(table, state_, row, highlighted, requests); });
}

/// Draws a line at the moment of the list over the picture. Dragging its foot asks for another moment.
void LivePage::draw_line(Requests& requests) {
    const bool is_in_use = session_.pages.shown == k_live_page || session_.pages.shown == k_pins_page;
    if (!is_in_use || !tick()) return;
    const Timeline& timeline = *session_.current_timeline();
    const Axis axis = session_.current_device().axis;
    const Projection& canvas = session_.timeline.projection;
    const AxisFoot foot{"live_line", tick_text(timeline, state_.tick) + "\nDrag: what is alive there is listed on the right",
                        place_of_tick(timeline, axis, state_.tick)};
    const std::optional<float> dragged_to = draw_axis_foot(foot, canvas);
    if (!dragged_to) return;
    const std::uint32_t wanted = timeline.tick_at(axis, std::max(0.0, canvas.x_at(*dragged_to)));
    if (wanted != state_.tick) requests.ask(ListLive{wanted});
}

}  // namespace snapviewer::live
