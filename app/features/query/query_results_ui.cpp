#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "app/features/query/queries.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/result_grid.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::query {
namespace {

/// maximum number of columns shown; below ImGui's own limit, which is 64 before 1.88
constexpr std::size_t k_column_limit = 60;
constexpr std::size_t k_cell_limit_bytes = 240;
constexpr std::size_t k_tooltip_rows = 16;
constexpr std::size_t k_tooltip_row_bytes = 100;  // maximum length of a row in a tooltip; about what fits into its width
constexpr std::size_t k_measured_rows = 200;
constexpr float k_max_width_em = 36.0F;

/// Names and file extensions of the formats of a saved or copied result, indexed by ResultFormat.
constexpr std::array<std::pair<const char*, const char*>, 3> k_formats = {
    {{"CSV", ".csv"}, {"JSON", ".json"}, {"Markdown", ".md"}}};

std::size_t shown_columns(const QueryResult& result) { return std::min(result.columns.size(), k_column_limit); }

/// Width of the smallest and the largest integer of a column. Considers all rows, because sorting may bring any of them
/// into view.
float widest_integer_px(const QueryResult& result, std::size_t column) {
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    for (std::size_t row = 0; row < result.row_count(); ++row) {
        const auto* value = std::get_if<std::int64_t>(&result.cell(row, column));
        if (value == nullptr) continue;
        smallest = std::min(smallest, *value);
        largest = std::max(largest, *value);
    }
    return std::max(ImGui::CalcTextSize(std::to_string(smallest).c_str()).x,
                    ImGui::CalcTextSize(std::to_string(largest).c_str()).x);
}

/// Returns column widths that fit the names, all integers, and the other cells of the first rows. A maximum keeps a long
/// stack from pushing the other columns off the screen.
std::vector<float> measure_columns(const QueryResult& result) {
    std::vector<float> widths;
    for (std::size_t column = 0; column < shown_columns(result); ++column) {
        float width = ImGui::CalcTextSize(result.columns[column].c_str()).x + 2 * ImGui::GetFontSize();
        width = std::max(width, widest_integer_px(result, column));
        for (std::size_t row = 0; row < std::min(result.row_count(), k_measured_rows); ++row) {
            const std::string text = cell_line(result.cell(row, column), k_cell_limit_bytes);
            width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
        }
        widths.push_back(std::min(width / ImGui::GetFontSize(), k_max_width_em));
    }
    return widths;
}

void follow_sorting(QueryTab& tab, DataTable& table) {
    if (!table.new_sorting() && !tab.order_stale) return;
    tab.order_stale = false;
    tab.row = -1;
    const TableSorting sorting = table.sorting();
    tab.order =
        sorting.column ? sorted_rows(*tab.result, *sorting.column, sorting.is_descending) : unsorted_rows(*tab.result);
}

void draw_cell(const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell)) {
        ImGui::TextDisabled("NULL");
        return;
    }
    const std::string text = cell_line(cell, k_cell_limit_bytes);
    need_characters(text);
    is_number_cell(cell) ? right_text(text, palette().text) : left_text(text, palette().text);
}

void draw_cell_tooltip(const std::string& column, const Cell& cell, const PixelBox& row) {
    const auto* size = std::get_if<std::int64_t>(&cell);
    if (size != nullptr && *size >= 0 && is_size_column(column)) {
        row_tooltip(row, format_bytes_exactly(static_cast<std::uint64_t>(*size)));
    }
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr || text->size() < 24) return;
    const std::string beginning = first_rows(*text, k_tooltip_rows, k_tooltip_row_bytes);
    need_characters(beginning);
    row_tooltip(row, beginning);
}

int hovered_column(int columns) {
    for (int column = 0; column < columns; ++column) {
        if ((ImGui::TableGetColumnFlags(column) & ImGuiTableColumnFlags_IsHovered) != 0) return column;
    }
    return -1;
}

struct GridClicks {
    bool chosen = false;  ///< the cell at `tab.row` and `tab.column` was clicked in this frame
    bool menu_wanted = false;
    std::ptrdiff_t page_rows = 1;
};

void draw_row(const DataTable& table, QueryTab& tab, int shown_row, GridClicks& clicks) {
    const QueryResult& result = *tab.result;
    const std::size_t row = tab.order[static_cast<std::size_t>(shown_row)];
    const int columns = static_cast<int>(shown_columns(result));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(shown_row);
    const bool left = table.select(static_cast<std::size_t>(shown_row), shown_row == tab.row);
    ImGui::PopID();
    const PixelBox row_box{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
    const bool right = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    const int hovered = ImGui::IsItemHovered() ? hovered_column(columns) : -1;
    if (left || right) {
        tab.row = shown_row;
        tab.column = std::max(hovered, 0);
        clicks.chosen |= left;
        clicks.menu_wanted |= right;
    }
    for (int column = 0; column < columns; ++column) {
        if (column == 0) {
            ImGui::SameLine(0.0F, 0.0F);
        } else {
            ImGui::TableSetColumnIndex(column);
        }
        draw_cell(result.cell(row, static_cast<std::size_t>(column)));
    }
    if (hovered >= 0 && !right) {
        const auto column = static_cast<std::size_t>(hovered);
        draw_cell_tooltip(result.columns[column], result.cell(row, column), row_box);
    }
}

GridClicks draw_grid(QueryTab& tab, float height_px) {
    GridClicks clicks;
    const QueryResult& result = *tab.result;
    const CodeFont code;
    const bool is_new = tab.widths_em.empty();
    if (is_new) tab.widths_em = measure_columns(result);
    std::vector<TableColumn> columns;
    for (std::size_t i = 0; i < shown_columns(result); ++i) {
        const char* name = result.columns[i].c_str();
        columns.push_back({.title = name, .name = name, .width_px = tab.widths_em[i] * ImGui::GetFontSize() / scaled(1)});
    }
    // Results of a tab with the same columns share their sort order, but each has its own column widths.
    ImGui::PushID(fmt::format("{}\t{}", tab.id, fmt::join(result.columns, "\t")).c_str());
    if (DataTable table({.id = "grid",
                         .report = "query",
                         .columns = columns,
                         .size = {0, height_px},
                         .flags = ImGuiTableFlags_SortTristate | ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersOuter |
                                  ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_ScrollX,
                         .resets_widths = is_new});
        table) {
        clicks.page_rows = table.page_rows();
        follow_sorting(tab, table);
        if (std::exchange(tab.scroll_to_row, false) && tab.row >= 0) table.scroll_to(static_cast<std::size_t>(tab.row));
        table.rows(tab.order.size(), [&](std::size_t row) { draw_row(table, tab, static_cast<int>(row), clicks); });
    }
    ImGui::PopID();
    return clicks;
}

CopyText copy_of_cell(const QueryTab& tab, std::size_t row) {
    return {cell_text(tab.result->cell(row, static_cast<std::size_t>(tab.column))), "The cell"};
}

CopyText copy_of_row(const QueryTab& tab, std::size_t row) { return {row_as_tsv(*tab.result, row), "The row"}; }

/// Returns all rows as a text for the clipboard, or the first rows if the result is too large. `write` formats the rows.
template <typename Write>
CopyText copy_of_all(const QueryTab& tab, Write write) {
    const std::vector<std::uint32_t> rows = rows_to_copy(*tab.result, tab.order);
    const bool is_all = rows.size() == tab.order.size();
    return {write(*tab.result, rows), is_all ? "Every row" : fmt::format("The first {} rows", format_count(rows.size()))};
}

void draw_copy_menu(QueryTab& tab, Requests& requests) {
    if (!ImGui::BeginPopup("copy")) return;
    if (tab.row >= 0) {
        const std::size_t row = tab.selected_row();
        if (ImGui::MenuItem("Copy cell", "Ctrl+C")) requests.ask(copy_of_cell(tab, row));
        if (ImGui::MenuItem("Copy row", "Ctrl+Shift+C")) requests.ask(copy_of_row(tab, row));
        ImGui::Separator();
    }
    if (ImGui::MenuItem("Copy all as TSV")) requests.ask(copy_of_all(tab, rows_as_tsv));
    for (std::size_t i = 0; i < k_formats.size(); ++i) {
        if (!ImGui::MenuItem(fmt::format("Copy all as {}", k_formats[i].first).c_str())) continue;
        requests.ask(copy_of_all(tab, [format = static_cast<ResultFormat>(i)](const auto& result, const auto& rows) {
            return result_text(result, rows, format);
        }));
    }
    ImGui::EndPopup();
}

/// Returns true if the keys moved to another row.
bool handle_keys(QueryTab& tab, std::ptrdiff_t page_rows, Requests& requests) {
    const ImGuiIO& io = ImGui::GetIO();
    if (tab.row < 0 || io.WantTextInput || !ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) return false;
    if (io.KeyCtrl && key_pressed(Key::c)) {
        const std::size_t row = tab.selected_row();
        requests.ask(io.KeyShift ? copy_of_row(tab, row) : copy_of_cell(tab, row));
    }
    const auto row = row_by_keys(static_cast<std::size_t>(tab.row), tab.order.size(), page_rows);
    if (!row || static_cast<int>(*row) == tab.row) return false;
    tab.row = static_cast<int>(*row);
    tab.scroll_to_row = true;
    return true;
}

/// Draws one button for each answer if there are several.
void draw_answers(QueryTab& tab) {
    if (tab.answers.size() < 2) return;
    for (std::size_t i = 0; i < tab.answers.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (i > 0) ImGui::SameLine();
        const bool is_shown = i == tab.shown_answer;
        if (is_shown) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
        if (ImGui::SmallButton(std::to_string(i + 1).c_str()) && !is_shown) tab.show_answer(i);
        if (is_shown) ImGui::PopStyleColor();
        observe_item(fmt::format("query_answer_{}", i));
        if (ImGui::IsItemHovered()) item_tooltip(tab.answers[i].sql);
        ImGui::PopID();
    }
}

/// Draws a button, highlighted while `is_on`. If `why_not` is not empty, the button is disabled and its tooltip shows
/// `why_not`.
bool draw_choice(const char* label, const char* rect, bool is_on, const std::string& why_not, const char* doc) {
    ImGui::BeginDisabled(!why_not.empty());
    if (is_on) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    const bool is_pressed = ImGui::SmallButton(label);
    if (is_on) ImGui::PopStyleColor();
    ImGui::EndDisabled();
    observe_item(rect);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(why_not.empty() ? doc : why_not);
    ImGui::SameLine();
    return is_pressed;
}

}  // namespace

/// Draws the popup that asks for the path and the format of the rows.
void Queries::draw_save_popup(Requests& requests) {
    if (!ImGui::BeginPopup("save rows")) return;
    if (ImGui::IsWindowAppearing())
        state_.save_path = path_to_save(session_.document ? session_.document->path : "result",
                                        k_formats[static_cast<std::size_t>(state_.save_format)].second);
    for (std::size_t i = 0; i < k_formats.size(); ++i) {
        if (i > 0) ImGui::SameLine();
        if (ImGui::RadioButton(k_formats[i].first, static_cast<std::size_t>(state_.save_format) == i)) {
            state_.save_format = static_cast<ResultFormat>(i);
            state_.save_path = std::filesystem::path(state_.save_path).replace_extension(k_formats[i].second).string();
        }
        observe_item(fmt::format("save_format_{}", i));
    }
    if (draw_save_fields(state_.save_path, "save_path", "save_rows"))
        requests.later("save rows as " + state_.save_path, [this] { save(state_.save_path, state_.save_format); });
    ImGui::EndPopup();
}

/// Draws the choices between rows and chart, and the button that adds the chart as a track.
void Queries::draw_choices(Requests& requests) {
    QueryTab& tab = state_.tab();
    const ResultChart& chart = *tab.shown_chart();
    const bool is_chart = tab.shows_chart();
    if (draw_choice("Table", "query_as_table", !is_chart, "", "The rows")) tab.chart.is_shown = false;
    if (draw_choice("Chart", "query_as_chart", is_chart, chart.why_not, "The rows as bars or lines"))
        tab.chart.is_shown = true;
    const bool has_picture = session_.document && !session_.document->devices.empty();
    const std::string why_no_track_here = has_picture ? why_no_track(chart) : "There is no picture to draw it below";
    if (draw_choice("As track", "query_as_track", false, why_no_track_here,
                    "Draw this below the picture, along its steps, until the file is closed"))
        requests.later("draw the result as a track", [this] { add_track(); });
}

void Queries::draw_footer(Requests& requests) {
    const QueryTab& tab = state_.tab();
    if (is_running()) {
        ImGui::TextColored(to_vec4(palette().notice), "Running, %.1f s", running_.elapsed_ms() / 1000.0);
        return;
    }
    if (!tab.result) return;
    const QueryResult& result = *tab.result;
    if (!result.columns.empty()) draw_choices(requests);
    if (ImGui::SmallButton("Save…")) ImGui::OpenPopup("save rows");
    observe_item("query_save");
    draw_save_popup(requests);
    ImGui::SameLine();
    if (result.truncated) {
        if (ImGui::SmallButton("More rows")) requests.later("more rows", [this] { run_for_more(); });
        observe_item("query_more");
        ImGui::SameLine();
    }
    if (tab.error) {
        ImGui::TextColored(to_vec4(palette().notice), "From the previous query:");
        ImGui::SameLine();
    }
    ImGui::TextDisabled("%s %s in %.1f ms", format_count(result.row_count()).c_str(),
                        result.row_count() == 1 ? "row" : "rows", result.elapsed_ms);
    const auto add = [](const std::string& text) {
        ImGui::SameLine();
        coloured_text(palette().notice, text);
    };
    if (result.truncated) add(fmt::format("only the first {} rows", format_count(result.row_count())));
    if (tab.shows_chart() && tab.shown_chart()->rows_without > 0)
        add(fmt::format("{} rows without a number left out", format_count(tab.shown_chart()->rows_without)));
    if (result.columns.size() > k_column_limit)
        add(fmt::format("first {} of {} columns", k_column_limit, result.columns.size()));
    if (!tab.notice.empty()) add(tab.notice);
}

/// Draws the grid of rows or the chart with a summary line, or a hint if there are no rows.
void Queries::draw_results(Requests& requests) {
    QueryTab& tab = state_.tab();
    draw_answers(tab);
    if (!tab.result || tab.result->columns.empty()) return draw_footer(requests);
    const float height_px = ImGui::GetContentRegionAvail().y - ImGui::GetTextLineHeightWithSpacing();
    if (tab.shows_chart()) {
        draw_result_chart(tab.chart, tab.shown_chart(), height_px);
        return draw_footer(requests);
    }
    const GridClicks clicks = draw_grid(tab, height_px);
    if (clicks.menu_wanted) ImGui::OpenPopup("copy");
    draw_copy_menu(tab, requests);
    const bool moved = handle_keys(tab, clicks.page_rows, requests);
    if ((clicks.chosen || moved) && tab.row >= 0) requests.ask(FollowRow{row_target(*tab.result, tab.selected_row())});
    draw_footer(requests);
}

}  // namespace snapviewer::query
