#include <nlohmann/json.hpp>

#include "app/features/what_if/what_if_runs.h"
#include "app/features/what_if/what_if_tasks.h"
#include "app/features/what_if/what_if_text.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

template <typename T>
JsonValue value_or_null(const std::optional<T>& value) {
    return value ? JsonValue(*value) : JsonValue(nullptr);
}

JsonValue mode_state(const RecordedRun& run, const WhatIfMode& mode) {
    const JsonValue range =
        mode.peak_range ? JsonValue{mode.peak_range->first, mode.peak_range->second} : JsonValue(nullptr);
    return {{"start_fits", mode.start_fits},
            {"peak_reserved", mode.peak_reserved_bytes},
            {"peak_range", range},
            {"oom_event", mode.oom ? JsonValue(run.event_id(mode.oom->event)) : JsonValue(nullptr)}};
}

constexpr std::ptrdiff_t k_most_mapped = 200;

JsonValue answer_state(const RecordedRun& run, const AnsweredQuestion& asked) {
    JsonValue settings = JsonValue::object();
    for (const auto& [name, value] : asked.settings) settings[name] = value;
    JsonValue report = {{"settings", std::move(settings)},
                        {"capacity", asked.answer.settings.capacity},
                        {"refused", asked.answer.refused},
                        {"sentence", verdict_sentence(asked.answer)},
                        {"verdict", nullptr}};
    if (!asked.answer.answer) return report;
    const WhatIf& answer = *asked.answer.answer;
    report["verdict"] = what_if_verdict_name(answer.verdict);
    report["modes"] = JsonValue::array();
    for (const WhatIfMode& mode : answer.modes) report["modes"].push_back(mode_state(run, mode));
    report["peak_as_recorded"] = {value_or_null(answer.peak_as_recorded_bytes[0]),
                                  value_or_null(answer.peak_as_recorded_bytes[1])};
    return report;
}

JsonValue moment_state(const AddressMoment& moment) {
    JsonValue ranges = JsonValue::array(), blocks = JsonValue::array();
    for (const AddressMoment::Range& each : moment.ranges) ranges.push_back({each.range.address, each.range.size_bytes});
    for (const AddressMoment::Block& each : moment.blocks)
        blocks.push_back(
            {each.address, each.size_bytes, each.allocation.is_some() ? JsonValue(each.allocation.value) : JsonValue()});
    if (ranges.size() > k_most_mapped) ranges.erase(ranges.begin() + k_most_mapped, ranges.end());
    if (blocks.size() > k_most_mapped) blocks.erase(blocks.begin() + k_most_mapped, blocks.end());
    return {{"reserved", moment.reserved_bytes},
            {"active", moment.active_bytes},
            {"ranges", std::move(ranges)},
            {"blocks", std::move(blocks)}};
}

JsonValue map_state(const WhatIfState& page) {
    if (!page.shows_map || page.map == nullptr || page.map->answer != page.answer) return nullptr;
    const MappedMoment& when = page.map->when;
    return {{"mode", replay_mode_name(when.mode)},
            {"moment", when.events},
            {"failed", when.failed ? JsonValue(*when.failed) : JsonValue(nullptr)},
            {"recorded", moment_state(*page.map->recorded)},
            {"replayed", moment_state(*page.map->replayed)}};
}

JsonValue what_if_report(const AppState& state) {
    if (!state.what_if.is_open) return nullptr;
    const WhatIfState& page = state.what_if;
    JsonValue tried = JsonValue::array();
    for (const auto& one : page.tried)
        tried.push_back({{"name", one->name},
                         {"value", one->value},
                         {"change", {value_or_null(one->change_bytes[0]), value_or_null(one->change_bytes[1])}},
                         {"verdict", what_if_verdict_name(one->answer.verdict)}});
    return {{"why_not", page.why_not},
            {"agreement", page.recording ? JsonValue(agreement_sentence(page.recording->basis)) : JsonValue(nullptr)},
            {"answer", page.answer ? answer_state(page.recording->basis.run, *page.answer) : JsonValue(nullptr)},
            {"map", map_state(page)},
            {"tried", std::move(tried)},
            {"to_try", page.to_try},
            {"status", page.work.status},
            {"is_stopped", page.work.is_stopped},
            {"error", page.work.error}};
}

}  // namespace

void WhatIfRuns::describe(nlohmann::json& report) const { report["what_if"] = what_if_report(state_); }

}  // namespace snapviewer
