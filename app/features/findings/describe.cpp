#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/answers/device_answers.h"
#include "app/features/answers/growth_text.h"
#include "app/features/findings/answers.h"
#include "app/features/findings/oom_card.h"
#include "app/features/findings/pools_card.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_reported_findings = 100;

const char* work_name(const FindingsState& page) {
    if (page.work.is_running()) return "working";
    if (page.work.is_stopped) return "stopped";
    if (!page.work.error.empty()) return "failed";
    return page.is_ready() ? "ready" : "waiting";
}

const char* page_name(SidePage page) {
    switch (page) {
        case SidePage::findings: return "findings";
        case SidePage::growth: return "growth";
        case SidePage::pins: return "pins";
        case SidePage::live: return "live";
        case SidePage::moments: return "moments";
        case SidePage::allocation: return "allocation";
    }
    return "";
}

JsonValue parts_json(const std::vector<CapacityPart>& capacity) {
    JsonValue parts = JsonValue::array();
    for (const CapacityPart& part : capacity) parts.push_back({{"name", part.name}, {"bytes", part.bytes}});
    return parts;
}

JsonValue pools_json_of(const std::vector<PoolUse>& uses) {
    JsonValue pools = JsonValue::object();
    for (const PoolUse* use : pools_to_show(uses)) pools[use->pool] = parts_json(pool_parts(*use));
    return pools;
}

JsonValue cards_json(const FindingsState& page) {
    JsonValue cards = JsonValue::array();
    if (page.read_from_error) cards.push_back(parts_json(capacity_parts(*page.read_from_error)));
    for (const CardUse& use : *page.answers->card_uses) {
        if (!use.is_of_oom) cards.push_back(parts_json(capacity_parts(use)));
    }
    return cards;
}

JsonValue card_json(const OomVerdict& verdict) {
    JsonValue holders = JsonValue::array();
    for (const SourceBytes& holder : verdict.largest_sources)
        holders.push_back({{"source", holder.source}, {"bytes", holder.bytes}, {"count", holder.count}});
    return {{"cause", oom_cause_name(verdict.cause)},
            {"demand", verdict.demand},
            {"parts", parts_json(capacity_parts(verdict))},
            {"largest_sources", std::move(holders)}};
}

JsonValue rows_json(const DeviceAnswers& answers) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(answers.findings->size(), k_reported_findings); ++i) {
        const DeviceFinding& finding = (*answers.findings)[i];
        const OomVerdict* verdict = answers.verdict_of(finding);
        rows.push_back({{"code", finding.code},
                        {"severity", finding_severity_name(finding.severity)},
                        {"sentence", finding.sentence},
                        {"hint", finding.hint},
                        {"bytes", finding.bytes},
                        {"sql", finding.sql},
                        {"pools", finding.topic == FindingTopic::private_pool_idle ? pools_json_of(*answers.pool_uses)
                                                                                   : JsonValue(nullptr)},
                        {"card", verdict == nullptr ? JsonValue(nullptr) : card_json(*verdict)}});
    }
    return rows;
}

JsonValue growth_report(const AppState& state) {
    if (state.current_timeline() == nullptr || !state.findings.is_ready()) return nullptr;
    const Growth& growth = *state.findings.answers->growth;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(growth.suspects.size() + growth.settled.size(), k_reported_findings); ++i) {
        const GrowthRow& row = growth_row(growth, i);
        rows.push_back({{"source", row.source},
                        {"state", growth_state_name(row.state)},
                        {"slope", row.slope},
                        {"grown", row.grown_bytes},
                        {"held", row.held}});
    }
    const auto& chosen = state.findings.chosen_growth;
    return {{"sentence", growth_sentence(growth)},
            {"rows", std::move(rows)},
            {"chosen", chosen ? JsonValue(*chosen) : JsonValue(nullptr)}};
}

JsonValue findings_report(const AppState& state) {
    if (state.current_timeline() == nullptr) return nullptr;
    const FindingsState& page = state.findings;
    return {
        {"state", work_name(page)},
        {"fraction", page.work.fraction},
        {"status", page.work.status},
        {"error", page.work.error},
        {"not_told", page.not_told},
        {"recording", page.is_ready() ? JsonValue(recording_state_name(page.answers->recording.state)) : JsonValue(nullptr)},
        {"page", page_name(state.pages.shown)},
        {"chosen", page.chosen ? JsonValue(*page.chosen) : JsonValue(nullptr)},
        {"cards", page.is_ready() ? cards_json(page) : JsonValue::array()},
        {"count", page.is_ready() ? page.answers->findings->size() : 0},
        {"rows", page.is_ready() ? rows_json(*page.answers) : JsonValue::array()}};
}

}  // namespace

void Answers::describe(nlohmann::json& report) const {
    report["findings"] = findings_report(state_);
    report["growth"] = growth_report(state_);
}

}  // namespace snapviewer
