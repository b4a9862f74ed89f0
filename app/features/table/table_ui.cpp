#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/features/table/table.h"
#include "app/features/timeline/allocation_text.h"
#include "app/system/window_system.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/keys.h"
#include "app/ui/state_report.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer {

void AllocationList::forget() {
    arranging_.discard();
    timeline_.reset();
    session_.table.rows.reset();
    session_.table.arranged.reset();
}

std::shared_ptr<const Timeline> AllocationList::wanted_timeline() const {
    if (!session_.table.is_open || session_.current_timeline() == nullptr) return nullptr;
    return session_.devices[session_.device_index].current().made.timeline;
}

/// The list is restricted to search results only if they belong to the current picture.
RowArrangement AllocationList::wanted_arrangement() const {
    RowArrangement wanted = session_.table.wanted;
    const auto& found = session_.search.emphasis;
    const bool is_of_this = found != nullptr && found->allocation_count() == session_.current_timeline()->allocation_count();
    wanted.among = session_.table.only_hits && is_of_this ? found : nullptr;
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
    const bool has_ids = session_.current_kind() == ViewKind::allocations;
    const std::int64_t first_id =
        has_ids ? query::first_allocation_row(*session_.document->snapshot, session_.device_index) : 0;
    arranging_.start(make_arranging_job({session_.table.rows, timeline, first_id, asked_}));
}

void AllocationList::take_written() {
    const std::optional<WrittenRows> written = writing_.take();
    if (!written) return;
    const std::string rows = counted(written->count, "row");
    if (!written->status) {
        session_.notice = written->status.error().text();
    } else if (written->path.empty()) {
        ImGui::SetClipboardText(written->text.c_str());
        session_.toasts.say(rows + (written->count == 1 ? " is" : " are") + " in the clipboard");
    } else {
        give_to_user(written->path);
        session_.toasts.say("Saved " + rows + " as " + written->path);
    }
}

void AllocationList::update() {
    follow();
    if (std::optional<ArrangedTable> arranged = arranging_.take()) {
        session_.table.rows = std::move(arranged->rows);
        session_.table.arranged = std::move(arranged->arranged);
        session_.table.shown = std::move(arranged->arrangement);
        session_.table.has_new_rows = true;
    }
    take_written();
    session_.table.is_arranging = arranging_.is_busy();
}

void AllocationList::write(const std::string& path) {
    const AllocationTableState& table = session_.table;
    if (table.arranged != nullptr) writing_.start(make_writing_job({table.rows, table.arranged, table.columns, path}));
}

void AllocationList::save(const std::string& path) { write(path); }

void AllocationList::copy() { write(""); }

namespace {

std::array<TableColumn, k_allocation_columns> table_columns() {
    std::array<TableColumn, k_allocation_columns> columns{};
    std::ranges::transform(allocation_columns(), columns.begin(), [](const AllocationColumnInfo& info) {
        return TableColumn{.title = info.title,
                           .name = info.sql_name,
                           .width_px = info.width_px,
                           .doc = info.doc,
                           .largest_first = !info.is_text,
                           .is_hidden = info.is_hidden,
                           .is_sorted_first = info.column == AllocationColumn::size};
    });
    return columns;
}

std::string rows_text(const AllocationTableState& state) {
    if (state.arranged == nullptr) return "Listing…";
    const Timeline& timeline = state.rows->timeline();
    const std::size_t shown = state.arranged->ids.size();
    std::string text = counted(timeline, timeline.allocation_count());
    if (shown != timeline.allocation_count()) text = format_count(shown) + " of " + text;
    text += fmt::format("  ·  {}", format_bytes(state.arranged->bytes));
    return state.is_arranging ? text + "  ·  sorting…" : text;
}

void draw_columns_popup(AllocationTableState& state) {
    if (!ImGui::BeginPopup("table columns")) return;
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        if (ImGui::MenuItem(allocation_columns()[i].title, nullptr, state.columns[i])) state.other_column = i;
        report_rect(fmt::format("table_column_{}", allocation_columns()[i].sql_name));
        if (ImGui::IsItemHovered()) item_tooltip(allocation_columns()[i].doc);
    }
    ImGui::EndPopup();
}

void draw_save_table_popup(AllocationTableState& state, const std::string& file, Requests& requests) {
    if (!ImGui::BeginPopup("save table")) return;
    if (ImGui::IsWindowAppearing()) state.save_path = path_to_save(file, ".csv");
    if (draw_save_fields(state.save_path, "table_save_path", "table_save_rows")) requests.ask(SaveTable{state.save_path});
    ImGui::EndPopup();
}

void draw_tools(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests) {
    if (ImGui::Button("Columns")) ImGui::OpenPopup("table columns");
    report_rect("table_columns");
    draw_columns_popup(state);
    ImGui::SameLine();
    ImGui::BeginDisabled(state.arranged == nullptr);
    if (ImGui::Button("Copy")) requests.ask(RunCommand{CommandId::table_copy});
    report_rect("table_copy");
    ImGui::SameLine();
    if (ImGui::Button("Save as CSV…")) ImGui::OpenPopup("save table");
    report_rect("table_save");
    ImGui::EndDisabled();
    draw_save_table_popup(state, scene.file, requests);
    ImGui::SameLine();
    ImGui::BeginDisabled(!scene.has_hits);
    ImGui::Checkbox("Only the hits of the search", &state.only_hits);
    report_rect("table_only_hits");
    ImGui::EndDisabled();
    ImGui::SameLine();
    dim_text(rows_text(state));
}

const char* filter_hint(const AllocationColumnInfo& info) {
    if (info.column == AllocationColumn::address) return "0x…";
    if (info.is_text) return "contains";
    switch (info.measure) {
        case Measure::bytes: return "> 1 MiB";
        case Measure::duration: return "> 5 ms";
        case Measure::count: return ">";
    }
    return "";
}

void explain_filter(const AllocationColumnInfo& info, bool is_understood) {
    if (!ImGui::IsItemHovered() && is_understood) return;
    if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
    if (info.is_text)
        item_tooltip("Part of the text, ignoring case; % for any text");
    else if (info.column == AllocationColumn::address)
        item_tooltip("What held this address: 0x7f4c00000000; or this range: 0x7f4c00000000..0x7f4d00000000");
    else
        item_tooltip("> 5, >= 5, < 5, 5 or 5..9, with a unit if there is one: > 100 MiB, < 5 ms");
}

/// Draws a filter field below each column header.
void draw_filters(AllocationTableState& state) {
    ImGui::TableNextRow();
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        const AllocationColumnInfo& info = allocation_columns()[i];
        std::string& filter = state.wanted.filters[i];
        if (!state.columns[i]) filter.clear();
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        ImGui::PushID(static_cast<int>(i));
        ImGui::SetNextItemWidth(-1);
        const bool is_understood = is_filter(info.column, filter);
        ImGui::PushStyleColor(ImGuiCol_Text, is_understood ? palette().text : palette().notice);
        ImGui::InputTextWithHint("##filter", filter_hint(info), &filter);
        ImGui::PopStyleColor();
        report_rect(fmt::format("table_filter_{}", info.sql_name));
        explain_filter(info, is_understood);
        ImGui::PopID();
    }
}

/// Applies a requested change of column visibility, and reads the visible columns from ImGui, whose own header menu can
/// also change them.
void follow_columns(AllocationTableState& state) {
    if (state.other_column) {
        ImGui::TableSetColumnEnabled(static_cast<int>(*state.other_column), !state.columns[*state.other_column]);
        state.other_column.reset();
    }
    for (std::size_t i = 0; i < k_allocation_columns; ++i)
        state.columns[i] = (ImGui::TableGetColumnFlags(static_cast<int>(i)) & ImGuiTableColumnFlags_IsEnabled) != 0;
}

void draw_row_popup(const AllocationTableState& state, AllocationId id, Requests& requests) {
    if (!ImGui::BeginPopupContextItem("row menu")) return;
    if (ImGui::MenuItem("Copy this row")) {
        const std::uint32_t row = id.value;
        requests.ask(CopyText{rows_as_tsv(*state.rows, {&row, 1}, state.columns), "The row"});
    }
    report_rect("table_copy_row");
    if (ImGui::MenuItem("Copy all rows")) requests.ask(RunCommand{CommandId::table_copy});
    if (ImGui::MenuItem("Show all of its stack")) {
        requests.ask(EmphasiseStack{making_stack(state.rows->timeline().trace().allocations, id)});
    }
    report_rect("table_show_stack");
    ImGui::EndPopup();
}

void draw_table_cell(const AllocationRows& rows, const AllocationColumnInfo& info, AllocationId id) {
    const std::string text = rows.shown(info.column, id);
    if (text.empty()) return;
    push_font(info.column == AllocationColumn::stack || info.column == AllocationColumn::address ? fonts().code
                                                                                                 : fonts().ui);
    if (info.is_text) {
        need_characters(text);
        ImGui::TextUnformatted(text.c_str(), text.c_str() + text.size());
    } else {
        right_text(text, palette().text);
    }
    ImGui::PopFont();
    if (info.is_text && ImGui::IsItemHovered()) row_tooltip(text.substr(0, 1000));
}

void draw_table_row(const DataTable& table, AllocationTableState& state, std::size_t row, const AllocationTableScene& scene,
                    Requests& requests) {
    const AllocationId id{state.arranged->ids[row]};
    ImGui::TableNextRow(0, DataTable::row_height());
    ImGui::PushID(static_cast<int>(id.value));
    bool has_row = false;
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        if (!has_row) {
            has_row = true;
            if (table.select(row, id == scene.selected)) {
                state.row = row;
                state.selected = id;
                requests.ask(RevealAllocation{id});
            }
            draw_row_popup(state, id, requests);
            ImGui::SameLine(0, 0);
        }
        draw_table_cell(*state.rows, allocation_columns()[i], id);
    }
    ImGui::PopID();
}

/// Finds the row of the selected allocation after the selection was changed elsewhere or the rows were sorted again.
void find_selected_row(AllocationTableState& state, AllocationId selected) {
    const bool is_other = selected != state.selected;
    if (!is_other && !state.has_new_rows) return;
    state.selected = selected;
    state.has_new_rows = false;
    state.row.reset();
    if (!selected.is_some()) return;
    const auto found = std::ranges::find(state.arranged->ids, selected.value);
    if (found == state.arranged->ids.end()) return;
    state.row = static_cast<std::size_t>(found - state.arranged->ids.begin());
    state.scroll_to_row = is_other;
}

void follow_table_keys(AllocationTableState& state, const DataTable& table, Requests& requests) {
    if (!state.is_focused || ImGui::GetIO().WantTextInput) return;
    const auto row = row_by_keys(state.row, state.arranged->ids.size(), table.page_rows());
    if (!row || row == state.row) return;
    state.row = row;
    state.selected = AllocationId{state.arranged->ids[*row]};
    state.scroll_to_row = true;
    requests.ask(RevealAllocation{state.selected});
}

void draw_rows(AllocationTableState& state, const DataTable& table, const AllocationTableScene& scene, Requests& requests) {
    if (state.arranged == nullptr) return;
    find_selected_row(state, scene.selected);
    follow_table_keys(state, table, requests);
    if (std::exchange(state.scroll_to_row, false) && state.row) table.scroll_to(*state.row);
    table.rows(state.arranged->ids.size(), [&](std::size_t row) { draw_table_row(table, state, row, scene, requests); });
}

void draw_table(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests) {
    const auto columns = table_columns();
    DataTable table({.id = "allocations",
                     .report = "table",
                     .columns = columns,
                     .size = {0, ImGui::GetContentRegionAvail().y},
                     .flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
                              ImGuiTableFlags_BordersInnerV,
                     .rows_above = 1});
    if (!table) return;
    follow_columns(state);
    table.take_sorting(state.wanted.sorted_by, state.wanted.is_descending);
    draw_filters(state);
    draw_rows(state, table, scene, requests);
}

}  // namespace

void draw_allocation_table(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests) {
    state.is_focused = false;
    if (!state.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    const ImVec2 size = {std::min(room.x - scaled(24), scaled(1120)), std::max(scaled(200), room.y * 0.42F)};
    ImGui::SetNextWindowSize(size, ImGuiCond_FirstUseEver);
    if (begin_floating_window("Table of allocations", state.is_open)) {
        // Opens near the bottom of the screen, so that the picture stays visible.
        if (ImGui::IsWindowAppearing()) {
            const ImVec2 now = ImGui::GetWindowSize();
            ImGui::SetWindowPos({scaled(12), std::max(scaled(30), room.y - now.y - scaled(36))});
        }
        state.is_focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
        if (state.is_focused && !ImGui::GetIO().WantTextInput && key_pressed(Key::escape)) state.is_open = false;
        draw_tools(state, scene, requests);
        draw_table(state, scene, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer
