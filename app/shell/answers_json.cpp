#include "app/shell/answers_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/answers/device_answers.h"
#include "app/features/answers/growth_text.h"
#include "app/features/findings/oom_card.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_reported_findings = 100;

const char* answers_state_name(AnswersState state) {
    switch (state) {
        case AnswersState::waiting: return "waiting";
        case AnswersState::working: return "working";
        case AnswersState::stopped: return "stopped";
        case AnswersState::failed: return "failed";
        case AnswersState::ready: return "ready";
    }
    return "";
}

const char* page_name(SidePage page) {
    switch (page) {
        case SidePage::findings: return "findings";
        case SidePage::growth: return "growth";
        case SidePage::live: return "live";
        case SidePage::moments: return "moments";
        case SidePage::allocation: return "allocation";
    }
    return "";
}

JsonValue card_json(const OomVerdict& verdict) {
    JsonValue parts = JsonValue::array();
    for (const CapacityPart& part : capacity_parts(verdict)) parts.push_back({{"name", part.name}, {"bytes", part.bytes}});
    JsonValue holders = JsonValue::array();
    for (const SourceBytes& holder : verdict.largest_sources)
        holders.push_back({{"source", holder.source}, {"bytes", holder.bytes}, {"count", holder.count}});
    return {{"cause", oom_cause_name(verdict.cause)},
            {"demand", verdict.demand},
            {"parts", std::move(parts)},
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
                        {"card", verdict == nullptr ? JsonValue(nullptr) : card_json(*verdict)}});
    }
    return rows;
}

JsonValue stack_list_json(const StackList& list) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(list.totals.size(), k_reported_findings); ++i)
        rows.push_back({{"bytes", list.totals[i].bytes}, {"count", list.totals[i].count}, {"name", list.names[i]}});
    return {{"bytes", list.sum.bytes}, {"count", list.sum.count}, {"rows", std::move(rows)}};
}

}  // namespace

JsonValue moments_state_json(const AppState& state) {
    const MomentsState& moments = state.moments;
    if (moments.timeline == nullptr) return nullptr;
    return {{"first_tick", moments.range.first},
            {"last_tick", moments.range.last},
            {"came", stack_list_json(moments.list(ChangeKind::came))},
            {"went", stack_list_json(moments.list(ChangeKind::went))},
            {"stayed", stack_list_json(moments.list(ChangeKind::stayed))}};
}

JsonValue generation_state_json(const AppState& state) {
    const GenerationState& generation = state.generation;
    if (!generation.is_drawn || state.current_timeline() == nullptr) return nullptr;
    const auto step_of = [&](std::uint32_t tick) { return state.current_timeline()->step_of_tick(tick); };
    return {{"steps", {step_of(generation.flags.first), step_of(generation.flags.last)}},
            {"left", stack_list_json(generation.left)}};
}

JsonValue growth_state_json(const AppState& state) {
    if (state.current_timeline() == nullptr || state.findings.state != AnswersState::ready) return nullptr;
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

JsonValue findings_state_json(const AppState& state) {
    if (state.current_timeline() == nullptr) return nullptr;
    const FindingsState& page = state.findings;
    return {{"state", answers_state_name(page.state)},
            {"fraction", page.fraction},
            {"doing", page.doing},
            {"trouble", page.trouble},
            {"not_told", page.not_told},
            {"page", page_name(state.pages.shown)},
            {"chosen", page.chosen ? JsonValue(*page.chosen) : JsonValue(nullptr)},
            {"count", page.state == AnswersState::ready ? page.answers->findings->size() : 0},
            {"rows", page.state == AnswersState::ready ? rows_json(*page.answers) : JsonValue::array()}};
}

JsonValue address_map_json(const AppState& state) {
    if (!state.settings.show_address_map) return nullptr;
    const AddressMapState& map = state.address_map;
    JsonValue hole = nullptr;
    if (map.hole) {
        hole = {{"begin", map.hole->hole.begin},
                {"end", map.hole->hole.end},
                {"pins", map.hole->pins},
                {"sentences", map.hole->sentences}};
    }
    return {{"why_empty", map.why_empty},
            {"moment", map.moment},
            {"held", map.is_held},
            {"title", map.title},
            {"segments", map.at.ranges.size()},
            {"blocks", map.at.blocks.size()},
            {"reserved", map.at.reserved_bytes},
            {"groups", map.group_names},
            {"lines", map.map.lines.size()},
            {"hole", std::move(hole)}};
}

}  // namespace snapviewer
