#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/state_parts.h"

/// A table of many rows, for every list of the window. Clicks on the headers sort it, only visible rows are drawn, and
/// numbers are aligned right.
namespace snapviewer {

struct TableSorting {
    std::optional<std::size_t> column;  ///< nullopt for the original order
    bool is_descending = false;
};

/// A table for one frame.
///
///     DataTable table({.id = "ranks", .report = "fleet", .columns = k_columns, .size = {0, height}});
///     if (!table) return;
///     if (const auto sorting = table.new_sorting()) sort_rows(*sorting);
///     table.rows(count, [&](std::size_t row) {
///         if (table.select(row, row == selected)) ...
///         ...
///     });
class DataTable {
public:
    struct Setup {
        const char* id;
        std::string_view report;  ///< prefix of the names of observed headers and rows: "fleet_header_peak", "fleet_row_0"
        std::span<const TableColumn> columns;
        ImVec2 size = {0, 0};
        ImGuiTableFlags flags = 0;  ///< added to the flags that all tables have
        int rows_above = 0;         ///< rows of input fields below the headers; they do not scroll, like the headers
        /// Applies every column's `width_px` in this frame, instead of the width that the user or ImGui gave it.
        bool resets_widths = false;
    };
    explicit DataTable(const Setup& setup);
    ~DataTable();
    DataTable(const DataTable&) = delete;
    DataTable& operator=(const DataTable&) = delete;
    /// False if the table is clipped; then nothing else may be called.
    explicit operator bool() const { return is_open_; }

    /// The sorting to apply, in the first frame and whenever the user chooses another column; else nullopt.
    std::optional<TableSorting> new_sorting();
    /// Sets `column`, an enumeration in the order of the columns, and `is_descending` to the sorting to apply. Returns true
    /// in the frames in which new_sorting() has one. The table begins with `columns_before` other columns.
    template <typename Column>
    bool take_sorting(Column& column, bool& is_descending, std::size_t columns_before = 0) {
        const auto sorting = new_sorting();
        if (!sorting || !sorting->column) return false;
        column = static_cast<Column>(*sorting->column - columns_before);
        is_descending = sorting->is_descending;
        return true;
    }
    /// The current sorting.
    TableSorting sorting() const;

    /// Scrolls as little as necessary to make a row visible.
    void scroll_to(std::size_t row) const;
    /// Number of rows that are visible at once.
    std::ptrdiff_t page_rows() const;

    template <typename Draw>
    void rows(std::size_t count, Draw draw) const {
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(count), row_height());
        while (clipper.Step()) {
            for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) draw(static_cast<std::size_t>(row));
        }
    }

    /// Makes the current row selectable: draws its highlight behind all its cells, and reacts to clicks. Call it in one cell
    /// of the row. Returns true if the row was clicked.
    bool select(std::size_t row, bool is_selected, ImGuiSelectableFlags flags = 0) const;

    static float row_height();

private:
    void set_up() const;
    void draw_headers() const;
    float page_px() const;

    Setup setup_;
    bool is_open_;
};

/// Draws a text at the left or the right end of the remaining width; a text that is too wide ends in an ellipsis.
void left_text(const std::string& text, ImU32 colour);
void right_text(const std::string& text, ImU32 colour);

/// The row to which arrow keys, Page Up and Down, Home and End move from `row`, of `count` rows; nullopt if no such key was
/// pressed. Home and End are left to a text field that has the keyboard if `is_typing`.
std::optional<std::size_t> row_by_keys(std::optional<std::size_t> row, std::size_t count, std::ptrdiff_t page_rows,
                                       bool is_typing = false);

}  // namespace snapviewer
