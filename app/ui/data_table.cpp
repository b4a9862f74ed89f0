#include "app/ui/data_table.h"

#include <fmt/format.h>
#include <imgui_internal.h>  // setting the width of a table column: missing in imgui.h

#include <algorithm>

#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr ImGuiTableFlags k_flags_of_all = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Sortable |
                                           ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;

ImGuiTableColumnFlags flags_of(const TableColumn& column) {
    ImGuiTableColumnFlags flags =
        column.width_px > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    if (column.is_bare)
        flags |= ImGuiTableColumnFlags_NoSort | ImGuiTableColumnFlags_NoResize | ImGuiTableColumnFlags_NoHide;
    if (column.largest_first) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (column.is_hidden) flags |= ImGuiTableColumnFlags_DefaultHide;
    if (column.has_no_room) flags |= ImGuiTableColumnFlags_Disabled;
    if (column.is_sorted_first) flags |= ImGuiTableColumnFlags_DefaultSort;
    return flags;
}

void draw_text(const std::string& text, ImU32 colour, bool is_at_right) {
    const float room = ImGui::GetContentRegionAvail().x;
    const float gap = room - ImGui::CalcTextSize(text.c_str()).x;
    if (gap < -1) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        draw_cut_text(ImGui::GetWindowDrawList(), pos, pos.x + room, colour, text);
        ImGui::Dummy({std::max(room, 0.0F), ImGui::GetTextLineHeight()});
        return;
    }
    if (is_at_right && gap > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + gap);
    coloured_text(colour, text);
}

}  // namespace

DataTable::DataTable(const Setup& setup)
    : setup_(setup),
      is_open_(
          ImGui::BeginTable(setup.id, static_cast<int>(setup.columns.size()), k_flags_of_all | setup.flags, setup.size)) {
    if (!is_open_) return;
    set_up();
    draw_headers();
}

DataTable::~DataTable() {
    if (is_open_) ImGui::EndTable();
}

void DataTable::set_up() const {
    ImGui::TableSetupScrollFreeze(0, 1 + setup_.rows_above);
    for (const TableColumn& column : setup_.columns)
        ImGui::TableSetupColumn(column.title, flags_of(column), scaled(column.width_px));
    if (!setup_.resets_widths) return;
    for (std::size_t i = 0; i < setup_.columns.size(); ++i)
        ImGui::GetCurrentTable()->Columns[static_cast<int>(i)].WidthRequest = scaled(setup_.columns[i].width_px);
}

void DataTable::draw_headers() const {
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (std::size_t i = 0; i < setup_.columns.size(); ++i) {
        const TableColumn& column = setup_.columns[i];
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i)) || column.is_bare) continue;
        ImGui::PushID(static_cast<int>(i));  // two columns may have the same title
        ImGui::TableHeader(column.title);
        ImGui::PopID();
        observe_item(fmt::format("{}_header_{}", setup_.report, column.name));
        if (*column.doc != '\0' && ImGui::IsItemHovered()) item_tooltip(column.doc);
    }
}

std::optional<TableSorting> DataTable::new_sorting() {
    ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || !specs->SpecsDirty) return std::nullopt;
    specs->SpecsDirty = false;
    return sorting();
}

TableSorting DataTable::sorting() const {
    const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || specs->SpecsCount == 0) return {};
    return {static_cast<std::size_t>(specs->Specs->ColumnIndex),
            specs->Specs->SortDirection == ImGuiSortDirection_Descending};
}

float DataTable::row_height() { return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

/// Height of the area that shows rows, in window units.
float DataTable::page_px() const {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float fields_px = static_cast<float>(setup_.rows_above) * (ImGui::GetFrameHeight() + 2 * style.CellPadding.y);
    const float scrollbar_px = (setup_.flags & ImGuiTableFlags_ScrollX) != 0 ? style.ScrollbarSize : 0;
    return ImGui::GetWindowHeight() - row_height() - fields_px - scrollbar_px;
}

std::ptrdiff_t DataTable::page_rows() const {
    return std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(page_px() / row_height()));
}

void DataTable::scroll_to(std::size_t row) const {
    const float top = static_cast<float>(row) * row_height();
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row_height() > ImGui::GetScrollY() + page_px()) ImGui::SetScrollY(top + row_height() - page_px());
}

bool DataTable::select(std::size_t row, bool is_selected, ImGuiSelectableFlags flags) const {
    const bool is_clicked = ImGui::Selectable("##row", is_selected, ImGuiSelectableFlags_SpanAllColumns | flags);
    observe_item(fmt::format("{}_row_{}", setup_.report, row));
    return is_clicked;
}

void left_text(const std::string& text, ImU32 colour) { draw_text(text, colour, false); }

void right_text(const std::string& text, ImU32 colour) { draw_text(text, colour, true); }

std::optional<std::size_t> row_by_keys(std::optional<std::size_t> row, std::size_t count, std::ptrdiff_t page_rows,
                                       bool is_typing) {
    if (count == 0) return std::nullopt;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count) - 1;
    const auto pressed = [](Key key) { return key_pressed(key, true) ? 1 : 0; };
    std::ptrdiff_t step = pressed(Key::down) - pressed(Key::up);
    step += page_rows * (pressed(Key::page_down) - pressed(Key::page_up));
    if (!is_typing) step += last * (pressed(Key::end) - pressed(Key::home));
    if (step == 0) return std::nullopt;
    const std::ptrdiff_t before = row ? static_cast<std::ptrdiff_t>(*row) : -1;
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(before + step, 0, last));
}

}  // namespace snapviewer
