// What the pages about the analyses of a device show: findings, growth, live allocations and what changed in a range.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/findings/findings.h"
#include "app/features/growth/growth.h"
#include "app/features/live/live.h"
#include "app/features/moments/moments.h"
#include "app/features/timeline/ruler_ui.h"
#include "core/analysis/growth/growth.h"
#include "core/analysis/oom/card_use.h"
#include "core/analysis/oom/oom.h"
#include "core/analysis/space/holes.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

constexpr std::size_t k_reported_findings = 100;

const char* work_name(const findings::FindingsState& page) {
    if (page.work.is_running()) return "working";
    if (page.work.is_stopped) return "stopped";
    if (!page.work.error.empty()) return "failed";
    return page.is_ready() ? "ready" : "waiting";
}

JsonValue parts_json(const std::vector<findings::CapacityPart>& capacity) {
    JsonValue parts = JsonValue::array();
    for (const findings::CapacityPart& part : capacity) parts.push_back({{"name", part.name}, {"bytes", part.bytes}});
    return parts;
}

JsonValue pools_json_of(const std::vector<space::PoolUse>& uses) {
    JsonValue pools = JsonValue::object();
    for (const space::PoolUse* use : findings::pools_to_show(uses))
        pools[use->pool] = parts_json(findings::pool_parts(*use));
    return pools;
}

JsonValue cards_json(const findings::FindingsState& page) {
    JsonValue cards = JsonValue::array();
    if (page.read_from_error) cards.push_back(parts_json(findings::capacity_parts(*page.read_from_error)));
    for (const oom::CardUse& use : *page.answers->card_uses) {
        if (!use.is_of_oom) cards.push_back(parts_json(findings::capacity_parts(use)));
    }
    return cards;
}

JsonValue card_json(const oom::OomVerdict& verdict) {
    JsonValue holders = JsonValue::array();
    for (const stacks::SourceBytes& holder : verdict.largest_sources)
        holders.push_back({{"source", holder.source}, {"bytes", holder.bytes}, {"count", holder.count}});
    return {{"cause", oom::oom_cause_name(verdict.cause)},
            {"demand", verdict.demand},
            {"parts", parts_json(findings::capacity_parts(verdict))},
            {"largest_sources", std::move(holders)}};
}

JsonValue rows_json(const answers::DeviceAnswers& answers) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(answers.findings->size(), k_reported_findings); ++i) {
        const findings::DeviceFinding& finding = (*answers.findings)[i];
        const oom::OomVerdict* verdict = answers.verdict_of(finding);
        rows.push_back(
            {{"code", finding.code},
             {"severity", findings::finding_severity_name(finding.severity)},
             {"sentence", finding.sentence},
             {"hint", finding.hint},
             {"bytes", finding.bytes},
             {"sql", finding.sql},
             {"pools", finding.code == "private_pool_idle" ? pools_json_of(*answers.pool_uses) : JsonValue(nullptr)},
             {"card", verdict == nullptr ? JsonValue(nullptr) : card_json(*verdict)}});
    }
    return rows;
}

JsonValue findings_report(const Session& session, const findings::FindingsState& page) {
    if (session.current_timeline() == nullptr) return nullptr;
    return {
        {"state", work_name(page)},
        {"fraction", page.work.fraction},
        {"status", page.work.status},
        {"error", page.work.error},
        {"not_told", page.not_told},
        {"recording", page.is_ready() ? JsonValue(recording_state_name(page.answers->recording.state)) : JsonValue(nullptr)},
        {"page", session.pages.shown},
        {"chosen", page.chosen ? JsonValue(*page.chosen) : JsonValue(nullptr)},
        {"cards", page.is_ready() ? cards_json(page) : JsonValue::array()},
        {"count", page.is_ready() ? page.answers->findings->size() : 0},
        {"rows", page.is_ready() ? rows_json(*page.answers) : JsonValue::array()}};
}

}  // namespace

void describe(const findings::Answers& answers, const Session& session, JsonValue& report) {
    report["findings"] = findings_report(session, answers.state());
}

namespace {

constexpr std::size_t k_reported_stacks = 100;

/// The sums and the first rows of a list.
JsonValue stack_list_json(const details::StackList& list) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(list.totals.size(), k_reported_stacks); ++i)
        rows.push_back({{"bytes", list.totals[i].bytes}, {"count", list.totals[i].count}, {"name", list.names[i]}});
    return {{"bytes", list.sum.bytes}, {"count", list.sum.count}, {"rows", std::move(rows)}};
}

constexpr std::size_t k_reported_growth = 100;

JsonValue growth_json(const growth::Growth& growth, std::optional<std::size_t> chosen) {
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(growth_row_count(growth), k_reported_growth); ++i) {
        const growth::GrowthRow& row = growth_row(growth, i);
        rows.push_back({{"source", row.source},
                        {"state", growth::growth_state_name(row.state)},
                        {"slope", row.slope},
                        {"grown", row.grown_bytes},
                        {"held", row.held}});
    }
    return {{"sentence", growth_sentence(growth)},
            {"rows", std::move(rows)},
            {"chosen", chosen ? JsonValue(*chosen) : JsonValue(nullptr)}};
}

}  // namespace

void describe(const growth::GrowthPage& page, const Session& session, JsonValue& report) {
    const Timeline* timeline = session.current_timeline();
    const std::shared_ptr<const answers::DeviceAnswers>& answers = page.answers().state().answers;
    report["growth"] =
        timeline == nullptr || answers == nullptr ? JsonValue(nullptr) : growth_json(*answers->growth, page.chosen());
    report["generation"] = nullptr;
    if (timeline == nullptr || !page.generation().is_drawn) return;
    const TickRange& flags = page.generation().flags;
    report["generation"] = {{"steps", {timeline->step_of_tick(flags.first), timeline->step_of_tick(flags.last)}},
                            {"left", stack_list_json(page.generation().left)}};
}

void describe(const live::LivePage& page, const Session& session, JsonValue& report) {
    JsonValue& live = report["live"] = nullptr;
    if (!page.tick()) return;
    const live::LiveListState& state = page.state();
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(state.order.size(), k_reported_rows); ++i) {
        const std::uint32_t row = state.order[i];
        const StackTotal& total = state.totals[row];
        rows.push_back({{"bytes", total.bytes}, {"count", total.count}, {"name", state.names[row]}});
    }
    live = {{"step", session.current_timeline()->step_of_tick(state.tick)},
            {"bytes", state.bytes},
            {"stacks", state.totals.size()},
            {"shown", state.order.size()},
            {"first_rows", std::move(rows)}};
}

namespace {

JsonValue moments_json(const moments::MomentsState& moments) {
    if (moments.timeline == nullptr) return nullptr;
    return {{"first_tick", moments.range.first},
            {"last_tick", moments.range.last},
            {"came", stack_list_json(moments.list(moments::ChangeKind::came))},
            {"went", stack_list_json(moments.list(moments::ChangeKind::went))},
            {"stayed", stack_list_json(moments.list(moments::ChangeKind::stayed))}};
}

JsonValue ruler_report(const Session& session) {
    const RulerState& ruler = session.timeline.ruler;
    if (!ruler.is_shown || !ruler.has_totals || session.current_timeline() == nullptr) return nullptr;
    return {{"first_tick", ruler.first_tick},
            {"last_tick", ruler.last_tick},
            {"steps",
             {session.current_timeline()->step_of_tick(ruler.first_tick),
              session.current_timeline()->step_of_tick(ruler.last_tick)}},
            {"net_bytes", ruler.totals.net_bytes},
            {"made_bytes", ruler.totals.made.bytes},
            {"freed_bytes", ruler.totals.freed.bytes},
            {"lines", ruler_lines(ruler, *session.current_timeline())}};
}

}  // namespace

void describe(const moments::MomentMarks& marks, const Session& session, JsonValue& report) {
    report["moments"] = moments_json(marks.state());
    report["ruler"] = ruler_report(session);
}

}  // namespace snapviewer::window_test
