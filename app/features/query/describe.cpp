#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "app/features/query/card_texts.h"
#include "app/features/query/queries.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

struct CellText {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
};

const char* query_page_name(const QueryPaneState& query) {
    constexpr std::array k_names = {"answer", "cards", "tables"};
    return k_names[static_cast<std::size_t>(query.page)];
}

/// Reports the first cards of the list that was built last.
JsonValue cards_report(const QueryCardsState& cards) {
    constexpr std::size_t k_most = 60;
    JsonValue report = JsonValue::array();
    for (const QueryCard& card : std::span(cards.cards).first(std::min(cards.cards.size(), k_most)))
        report.push_back({{"source", card_source_word(card.source)}, {"name", card.name}, {"sql", card.sql}});
    return report;
}

JsonValue query_report(const QueryPaneState& query) {
    JsonValue report = {{"sql", query.sql},
                        {"ran_sql", query.ran_sql},
                        {"running", query.is_running},
                        {"is_open", query.is_open},
                        {"answers", query.answers.size()},
                        {"parameters", JsonValue::object()},
                        {"given", JsonValue::object()},
                        {"completions", JsonValue::array()},
                        {"name_at_caret", query.name_at_caret ? JsonValue(query.name_at_caret->text) : JsonValue(nullptr)},
                        {"caret", query.caret},
                        {"tabs", JsonValue::array()},
                        {"front", query.front},
                        {"page", query_page_name(query)},
                        {"cards", JsonValue::array()},
                        {"notice", query.notice},
                        {"rows", 0},
                        {"columns", JsonValue::array()},
                        {"first_rows", JsonValue::array()},
                        {"truncated", false},
                        {"elapsed_ms", 0.0},
                        {"error", query.error ? JsonValue(query.error->text()) : JsonValue(nullptr)}};
    for (const QueryParameter& each : query.parameters) report["parameters"][each.name] = std::visit(CellText{}, each.value);
    for (const SqlName& each : query.completions) report["completions"].push_back(each.text);
    for (const auto& [name, typed] : query.given) {
        if (!typed.empty()) report["given"][name] = typed;
    }
    for (std::size_t i = 0; i < query.tabs.size(); ++i) report["tabs"].push_back(query.tab(i).sql);
    if (query.page != QueryPage::tables) report["cards"] = cards_report(query.cards);
    if (!query.result) return report;
    const QueryResult& result = *query.result;
    report["rows"] = result.row_count();
    report["columns"] = result.columns;
    report["truncated"] = result.truncated;
    report["elapsed_ms"] = result.elapsed_ms;
    const ResultChart& chart = *query.answers[query.shown_answer].chart;
    JsonValue series = JsonValue::array();
    for (const ChartSeries& each : chart.series) series.push_back(each.name);
    report["chart"] = {{"is_shown", query.chart.is_shown && chart.why_not.empty()},
                       {"why_not", chart.why_not},
                       {"why_no_track", why_no_track(chart)},
                       {"has_bars", chart.has_bars},
                       {"series", std::move(series)},
                       {"points", chart.points},
                       {"rows_without", chart.rows_without},
                       {"hovered", query.chart.hovered}};
    for (std::size_t row = 0; row < std::min({result.row_count(), query.order.size(), k_reported_rows}); ++row) {
        JsonValue cells = JsonValue::array();
        for (std::size_t column = 0; column < result.columns.size(); ++column) {
            cells.push_back(std::visit(CellText{}, result.cell(query.order[row], column)));
        }
        report["first_rows"].push_back(std::move(cells));
    }
    return report;
}

}  // namespace

void Queries::describe(nlohmann::json& report) const { report["query"] = query_report(state_.query); }

}  // namespace snapviewer
