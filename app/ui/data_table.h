#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/table_column.h"

/// A table of many rows, as every list of the window is one: its headers explain themselves and are clicked to sort by, only
/// the rows in sight are drawn, and numbers stand at the right.
namespace snapviewer {

struct TableSorting {
    std::optional<std::size_t> column;  ///< none: as the rows came
    bool is_descending = false;
};

/// Of one frame.
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
        std::string_view report;  ///< what names of headers and rows begin with: "fleet_header_peak", "fleet_row_0"
        std::span<const TableColumn> columns;
        ImVec2 size = {0, 0};
        ImGuiTableFlags flags = 0;  ///< besides those that all have
        int rows_above = 0;         ///< of fields below the headers, which stay in sight like these
        /// Gives every column its `width_px` in this frame, whatever its width was before.
        bool resets_widths = false;
    };
    explicit DataTable(const Setup& setup);
    ~DataTable();
    DataTable(const DataTable&) = delete;
    DataTable& operator=(const DataTable&) = delete;
    /// Whether it is in sight; if not, nothing else may be called.
    explicit operator bool() const { return is_open_; }

    /// What to sort by, in the first frame and whenever the user chooses another column.
    std::optional<TableSorting> new_sorting();
    /// What it is sorted by now.
    TableSorting sorting() const;

    /// Scrolls as little as it takes to have a row in sight.
    void scroll_to(std::size_t row) const;
    /// How many rows are in sight at once.
    std::ptrdiff_t page_rows() const;

    template <typename Draw>
    void rows(std::size_t count, Draw draw) const {
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(count), row_height());
        while (clipper.Step()) {
            for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) draw(static_cast<std::size_t>(row));
        }
    }

    /// The part of a row that takes clicks, in the cell that is current, under all of them. Returns whether it was clicked.
    bool select(std::size_t row, bool is_selected, ImGuiSelectableFlags flags = 0) const;

    static float row_height();

private:
    void set_up() const;
    void draw_headers() const;
    float page_px() const;

    Setup setup_;
    bool is_open_;
};

/// Draws a text at the left or the right end of the room that is left; a text too wide for it ends in an ellipsis.
void left_text(const std::string& text, ImU32 colour);
void right_text(const std::string& text, ImU32 colour);

/// Where arrow keys, Page Up and Down, Home and End lead from a row, of so many; none where none of them was pressed.
std::optional<std::size_t> row_by_keys(std::optional<std::size_t> row, std::size_t count, std::ptrdiff_t page_rows);

}  // namespace snapviewer
