// What the windows and panels with rows of many kinds show: queries, the table of allocations and the command palette.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "app/features/command_palette/command_palette.h"
#include "app/features/query/queries.h"
#include "app/features/table/table.h"
#include "app/features/timeline/timeline_axis.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

JsonValue cards_report(const query::QueryCardsState& cards) {
    constexpr std::size_t k_max_cards = 60;
    JsonValue report = JsonValue::array();
    for (const query::QueryCard& card : std::span(cards.cards).first(std::min(cards.cards.size(), k_max_cards)))
        report.push_back({{"source", card_source_word(card.source)}, {"name", card.name}, {"sql", card.sql}});
    return report;
}

/// The text of the chart's tooltip; empty if the mouse is elsewhere. `rects` are the items on the screen by name.
std::string hovered_text(const query::ResultChart& chart, const JsonValue& rects) {
    if (!rects.contains("query_chart") || !rects.contains("tooltip")) return "";
    const auto [left, top, right, bottom] = rects["query_chart"].get<std::array<float, 4>>();
    const Projection canvas{query::chart_view(chart), {left, top}, {right, bottom}};
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (mouse.x < left || mouse.x >= right || mouse.y < top || mouse.y >= bottom) return "";
    const query::ChartReading reading = read_chart(chart, canvas.x_at(mouse.x));
    std::string text = reading.place;
    for (const auto& [series, value] : reading.values) text += "\n" + value;
    return text;
}

JsonValue chart_report(const query::QueryTab& tab, const JsonValue& rects) {
    const query::ResultChart& chart = *tab.shown_chart();
    JsonValue series = JsonValue::array();
    for (const query::ChartSeries& each : chart.series) series.push_back(each.name);
    return {{"is_shown", tab.shows_chart()},
            {"why_not", chart.why_not},
            {"why_no_track", query::why_no_track(chart)},
            {"has_bars", chart.has_bars},
            {"series", std::move(series)},
            {"points", chart.points},
            {"rows_without", chart.rows_without},
            {"hovered", hovered_text(chart, rects)}};
}

JsonValue first_rows_report(const query::QueryTab& tab) {
    const query::QueryResult& result = *tab.result;
    JsonValue rows = JsonValue::array();
    for (std::size_t row = 0; row < std::min({result.row_count(), tab.order.size(), k_reported_rows}); ++row) {
        JsonValue cells = JsonValue::array();
        for (std::size_t column = 0; column < result.columns.size(); ++column)
            cells.push_back(cell_text(result.cell(tab.order[row], column)));
        rows.push_back(std::move(cells));
    }
    return rows;
}

}  // namespace

void describe(const query::Queries& queries, const Session& /*session*/, JsonValue& report) {
    constexpr std::array k_page_names = {"answer", "cards", "tables"};
    const query::QueryPaneState& pane = queries.state();
    const query::QueryTab& tab = pane.tab();
    JsonValue parameters = JsonValue::object(), given = JsonValue::object();
    JsonValue completions = JsonValue::array(), tabs = JsonValue::array();
    for (const query::QueryParameter& each : pane.parameters) parameters[each.name] = cell_text(each.value);
    for (const auto& [name, typed] : tab.given) {
        if (!typed.empty()) given[name] = typed;
    }
    for (const query::SqlName& each : pane.completions) completions.push_back(each.text);
    for (const query::QueryTab& each : pane.tabs) tabs.push_back(each.sql);
    JsonValue& described = report["query"];
    described = {{"sql", tab.sql},
                 {"ran_sql", tab.ran_sql},
                 {"running", queries.is_running()},
                 {"is_open", pane.is_open},
                 {"answers", tab.answers.size()},
                 {"parameters", std::move(parameters)},
                 {"given", std::move(given)},
                 {"completions", std::move(completions)},
                 {"name_at_caret", pane.name_at_caret ? JsonValue(pane.name_at_caret->text) : JsonValue(nullptr)},
                 {"caret", tab.caret},
                 {"tabs", std::move(tabs)},
                 {"front", pane.front},
                 {"page", k_page_names[static_cast<std::size_t>(pane.page)]},
                 {"cards", pane.page == query::QueryPage::tables ? JsonValue::array() : cards_report(pane.cards)},
                 {"notice", tab.notice},
                 {"rows", 0},
                 {"columns", JsonValue::array()},
                 {"first_rows", JsonValue::array()},
                 {"truncated", false},
                 {"elapsed_ms", 0.0},
                 {"error", tab.error ? JsonValue(tab.error->text()) : JsonValue(nullptr)}};
    if (!tab.result) return;
    described["rows"] = tab.result->row_count();
    described["columns"] = tab.result->columns;
    described["first_rows"] = first_rows_report(tab);
    described["truncated"] = tab.result->truncated;
    described["elapsed_ms"] = tab.result->elapsed_ms;
    described["chart"] = chart_report(tab, report["rects"]);
}

void describe(const table::AllocationList& list, const Session& /*session*/, JsonValue& report) {
    JsonValue& described = report["table"] = nullptr;
    const table::AllocationListState& table = list.state();
    if (!table.is_open || table.arranged == nullptr) return;
    const AllocationColumns& allocations = table.rows->timeline().trace().allocations;
    JsonValue rows = JsonValue::array(), columns = JsonValue::array();
    for (std::size_t i = 0; i < std::min(table.arranged->ids.size(), k_reported_rows); ++i) {
        const AllocationId id{table.arranged->ids[i]};
        rows.push_back({{"id", id.value},
                        {"size", allocations.size_bytes[id.value]},
                        {"stack", table.rows->shown(table::AllocationColumn::stack, id)}});
    }
    for (const table::AllocationColumnInfo& info : table::allocation_columns()) {
        if (table.columns[static_cast<std::size_t>(info.column)]) columns.push_back(info.sql_name);
    }
    described = {{"rows", table.arranged->ids.size()},
                 {"bytes", table.arranged->bytes},
                 {"arranging", list.is_arranging()},
                 {"sorted_by", info_of(table.shown.sorted_by).sql_name},
                 {"descending", table.shown.is_descending},
                 {"only_hits", table.shown.among != nullptr},
                 {"row", table.row ? JsonValue(*table.row) : JsonValue(nullptr)},
                 {"columns", std::move(columns)},
                 {"first_rows", std::move(rows)}};
}

void describe(const command_palette::PaletteFiller& filler, const Session& /*session*/, JsonValue& report) {
    JsonValue& described = report["palette"] = nullptr;
    const command_palette::PaletteState& palette = filler.state();
    if (!palette.is_open) return;
    JsonValue matches = JsonValue::array();
    for (std::size_t i = 0; i < std::min(palette.matches.size(), k_reported_rows); ++i)
        matches.push_back({{"kind", palette.matches[i]->kind}, {"words", palette.matches[i]->words}});
    described = {{"typed", palette.typed},
                 {"chosen", palette.chosen},
                 {"has_stacks", palette.has_stacks},
                 {"first_matches", std::move(matches)}};
}

}  // namespace snapviewer::window_test
