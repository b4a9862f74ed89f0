#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/features/requests.h"
#include "app/features/table/table.h"
#include "app/features/timeline/allocation_text.h"
#include "app/system/window_system.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/query/database.h"
#include "core/timeline/totals.h"

namespace snapviewer::table {

/// The rows are restricted to search results only if these belong to the current picture.
std::optional<AllocationList::WantedRows> AllocationList::wanted_rows() const {
    const Timeline* timeline = session_.current_timeline();
    if (!state_.is_open || timeline == nullptr) return std::nullopt;
    WantedRows wanted{session_.devices[session_.device_index].current().made.timeline, state_.wanted};
    const auto& found = session_.highlight.allocations;
    const bool is_of_this = found != nullptr && found->allocation_count() == timeline->allocation_count();
    if (state_.only_hits && is_of_this) wanted.arrangement.among = found;
    return wanted;
}

void AllocationList::follow() {
    const std::optional<WantedRows> wanted = wanted_rows();
    if (arranging_.input() && (!wanted || wanted->timeline != arranging_.input()->timeline)) {
        arranging_.discard();
        state_.rows.reset();
        state_.arranged.reset();
    }
    if (!wanted) return;
    const bool has_ids = session_.current_kind() == ViewKind::allocations;
    const std::int64_t first_id =
        has_ids ? query::first_allocation_row(*session_.document->snapshot, session_.device_index) : 0;
    arranging_.follow(*wanted, 0, [rows = state_.rows, wanted = *wanted, first_id](Progress&) {
        ArrangedTable table{rows, nullptr, wanted.arrangement};
        if (rows == nullptr) table.rows = std::make_shared<const AllocationRows>(wanted.timeline, first_id);
        table.arranged = std::make_shared<const ArrangedRows>(arrange_rows(*table.rows, wanted.arrangement));
        return table;
    });
}

void AllocationList::update() {
    follow();
    if (std::optional<Result<ArrangedTable>> made = arranging_.take()) {
        if (!*made) {
            session_.notice = made->error().text();
        } else {
            ArrangedTable& table = **made;
            state_.rows = std::move(table.rows);
            state_.arranged = std::move(table.arranged);
            state_.shown = std::move(table.arrangement);
            has_new_rows_ = true;
        }
    }
    take_written();
}

void AllocationList::write(const std::string& path) {
    if (state_.arranged == nullptr) return;
    const std::uint64_t read_bytes = state_.rows->timeline().snapshot().read_bytes;
    const auto make = [rows = state_.rows, arranged = state_.arranged, columns = state_.columns, path](Progress&) {
        WrittenRows written{path, {}, arranged->ids.size()};
        if (path.empty())
            written.text = rows_as_tsv(*rows, arranged->ids, columns);
        else
            write_csv(*rows, arranged->ids, columns, path);
        return written;
    };
    if (path.empty())
        writing_.start(read_bytes, make);
    else
        writing_.start_writing(read_bytes, make);
}

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

void draw_filter_tooltip(const AllocationColumnInfo& info, bool is_valid) {
    if (!ImGui::IsItemHovered() && is_valid) return;
    if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
    if (info.is_text)
        item_tooltip("Part of the text, ignoring case; % for any text");
    else if (info.column == AllocationColumn::address)
        item_tooltip("What held this address: 0x7f4c00000000; or this range: 0x7f4c00000000..0x7f4d00000000");
    else
        item_tooltip("> 5, >= 5, < 5, 5 or 5..9, with a unit if there is one: > 100 MiB, < 5 ms");
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

}  // namespace

void AllocationList::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_table,
                            .is_possible = has_picture,
                            .is_open = &state_.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) {
                                if (session_.current_timeline() != nullptr) draw(requests);
                            }});
    board.commands.on(CommandId::go_list_hits,
                      {.is_possible = has_hits, .run = [this] { state_.is_open = state_.only_hits = true; }});
    board.commands.on(CommandId::table_copy, {.run = [this] { write(""); }});
}

void AllocationList::take_written() {
    const std::optional<Result<WrittenRows>> taken = writing_.take();
    if (!taken) return;
    if (!*taken) {
        session_.notice = taken->error().text();
        return;
    }
    const WrittenRows& written = **taken;
    const std::string rows = counted(written.count, "row");
    if (written.path.empty()) {
        ImGui::SetClipboardText(written.text.c_str());
        session_.toasts.say(rows + (written.count == 1 ? " is" : " are") + " in the clipboard");
    } else {
        offer_download(written.path);
        session_.toasts.say("Saved " + rows + " as " + written.path);
    }
}

std::string AllocationList::rows_text() const {
    if (state_.arranged == nullptr) return "Listing…";
    const Timeline& timeline = state_.rows->timeline();
    const std::size_t shown = state_.arranged->ids.size();
    std::string text = counted(timeline, timeline.allocation_count());
    if (shown != timeline.allocation_count()) text = format_count(shown) + " of " + text;
    text += fmt::format("  ·  {}", format_bytes(state_.arranged->bytes));
    return arranging_.is_busy() ? text + "  ·  sorting…" : text;
}

void AllocationList::draw_columns_popup() {
    if (!ImGui::BeginPopup("table columns")) return;
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        if (ImGui::MenuItem(allocation_columns()[i].title, nullptr, state_.columns[i])) toggled_column_ = i;
        observe_item(fmt::format("table_column_{}", allocation_columns()[i].sql_name));
        if (ImGui::IsItemHovered()) item_tooltip(allocation_columns()[i].doc);
    }
    ImGui::EndPopup();
}

void AllocationList::draw_tools(Requests& requests) {
    if (ImGui::Button("Columns")) ImGui::OpenPopup("table columns");
    observe_item("table_columns");
    draw_columns_popup();
    ImGui::SameLine();
    ImGui::BeginDisabled(state_.arranged == nullptr);
    if (ImGui::Button("Copy")) requests.ask(RunCommand{CommandId::table_copy});
    observe_item("table_copy");
    ImGui::SameLine();
    if (ImGui::Button("Save as CSV…")) ImGui::OpenPopup("save table");
    observe_item("table_save");
    ImGui::EndDisabled();
    if (ImGui::BeginPopup("save table")) {
        if (ImGui::IsWindowAppearing()) save_path_ = path_to_save(session_.document->path, ".csv");
        if (draw_save_fields(save_path_, "table_save_path", "table_save_rows"))
            requests.later("save the table as " + save_path_, [this] { write(save_path_); });
        ImGui::EndPopup();
    }
    ImGui::SameLine();
    ImGui::BeginDisabled(!has_hits(session_));
    ImGui::Checkbox("Only the hits of the search", &state_.only_hits);
    observe_item("table_only_hits");
    ImGui::EndDisabled();
    ImGui::SameLine();
    dim_text(rows_text());
}

/// Draws a filter field below each column header.
void AllocationList::draw_filters() {
    ImGui::TableNextRow();
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        const AllocationColumnInfo& info = allocation_columns()[i];
        std::string& filter = state_.wanted.filters[i];
        if (!state_.columns[i]) filter.clear();
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        ImGui::PushID(static_cast<int>(i));
        ImGui::SetNextItemWidth(-1);
        const bool is_valid = is_filter(info.column, filter);
        ImGui::PushStyleColor(ImGuiCol_Text, is_valid ? palette().text : palette().notice);
        ImGui::InputTextWithHint("##filter", filter_hint(info), &filter);
        ImGui::PopStyleColor();
        observe_item(fmt::format("table_filter_{}", info.sql_name));
        draw_filter_tooltip(info, is_valid);
        ImGui::PopID();
    }
}

/// Applies a requested change of column visibility, and reads the visible columns from ImGui, whose own header menu can
/// also change them.
void AllocationList::update_columns() {
    if (toggled_column_) {
        ImGui::TableSetColumnEnabled(static_cast<int>(*toggled_column_), !state_.columns[*toggled_column_]);
        toggled_column_.reset();
    }
    for (std::size_t i = 0; i < k_allocation_columns; ++i)
        state_.columns[i] = (ImGui::TableGetColumnFlags(static_cast<int>(i)) & ImGuiTableColumnFlags_IsEnabled) != 0;
}

void AllocationList::draw_row_menu(AllocationId id, Requests& requests) {
    if (!ImGui::BeginPopupContextItem("row menu")) return;
    if (ImGui::MenuItem("Copy this row")) {
        const std::uint32_t row = id.value;
        requests.ask(CopyText{rows_as_tsv(*state_.rows, {&row, 1}, state_.columns), "The row"});
    }
    observe_item("table_copy_row");
    if (ImGui::MenuItem("Copy all rows")) requests.ask(RunCommand{CommandId::table_copy});
    if (ImGui::MenuItem("Show all of its stack")) {
        requests.ask(HighlightStack{making_stack(state_.rows->timeline().trace().allocations, id)});
    }
    observe_item("table_show_stack");
    ImGui::EndPopup();
}

void AllocationList::draw_row(const DataTable& table, std::size_t row, Requests& requests) {
    const AllocationId id{state_.arranged->ids[row]};
    ImGui::TableNextRow(0, DataTable::row_height());
    ImGui::PushID(static_cast<int>(id.value));
    bool has_row = false;
    for (std::size_t i = 0; i < k_allocation_columns; ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        if (!has_row) {
            has_row = true;
            if (table.select(row, id == session_.selected())) {
                state_.row = row;
                selected_ = id;
                requests.ask(RevealAllocation{id});
            }
            draw_row_menu(id, requests);
            ImGui::SameLine(0, 0);
        }
        draw_table_cell(*state_.rows, allocation_columns()[i], id);
    }
    ImGui::PopID();
}

/// Finds the row of the selected allocation after the selection was changed elsewhere or the rows were sorted again.
void AllocationList::find_selected_row() {
    const AllocationId selected = session_.selected();
    const bool is_other = selected != selected_;
    if (!is_other && !has_new_rows_) return;
    selected_ = selected;
    has_new_rows_ = false;
    state_.row.reset();
    if (!selected.is_some()) return;
    const auto found = std::ranges::find(state_.arranged->ids, selected.value);
    if (found == state_.arranged->ids.end()) return;
    state_.row = static_cast<std::size_t>(found - state_.arranged->ids.begin());
    scroll_to_row_ = is_other;
}

void AllocationList::follow_keys(const DataTable& table, Requests& requests) {
    if (!is_focused_ || ImGui::GetIO().WantTextInput) return;
    const auto row = row_by_keys(state_.row, state_.arranged->ids.size(), table.page_rows());
    if (!row || row == state_.row) return;
    state_.row = row;
    selected_ = AllocationId{state_.arranged->ids[*row]};
    scroll_to_row_ = true;
    requests.ask(RevealAllocation{selected_});
}

void AllocationList::draw_table(Requests& requests) {
    const auto columns = table_columns();
    DataTable table({.id = "allocations",
                     .report = "table",
                     .columns = columns,
                     .size = {0, ImGui::GetContentRegionAvail().y},
                     .flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
                              ImGuiTableFlags_BordersInnerV,
                     .rows_above = 1});
    if (!table) return;
    update_columns();
    table.take_sorting(state_.wanted.sorted_by, state_.wanted.is_descending);
    draw_filters();
    if (state_.arranged == nullptr) return;
    find_selected_row();
    follow_keys(table, requests);
    if (std::exchange(scroll_to_row_, false) && state_.row) table.scroll_to(*state_.row);
    table.rows(state_.arranged->ids.size(), [&](std::size_t row) { draw_row(table, row, requests); });
}

/// Cost per frame: the visible rows, independent of the number of rows; O(all rows) when the selection has changed.
void AllocationList::draw(Requests& requests) {
    is_focused_ = false;
    if (!state_.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    const ImVec2 size = {std::min(room.x - scaled(24), scaled(1120)), std::max(scaled(200), room.y * 0.42F)};
    ImGui::SetNextWindowSize(size, ImGuiCond_FirstUseEver);
    if (begin_floating_window("Table of allocations", state_.is_open)) {
        // Opens near the bottom of the screen, so that the picture stays visible.
        if (ImGui::IsWindowAppearing()) {
            const ImVec2 now = ImGui::GetWindowSize();
            ImGui::SetWindowPos({scaled(12), std::max(scaled(30), room.y - now.y - scaled(36))});
        }
        is_focused_ = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
        if (is_focused_ && !ImGui::GetIO().WantTextInput && key_pressed(Key::escape)) state_.is_open = false;
        draw_tools(requests);
        draw_table(requests);
    }
    ImGui::End();
    if (is_focused_) session_.focused = Pane::table;
}

}  // namespace snapviewer::table
