// What the pages and windows with answers show: pins, series and replays under other settings.
#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>

#include "app/features/pins/pins.h"
#include "app/features/series/series.h"
#include "app/features/what_if/what_if.h"
#include "core/base/text.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {

void describe(const pins::PinsPage& page, const Session& session, JsonValue& report) {
    JsonValue& described = report["pins"] = nullptr;
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr || session.pages.shown != live::k_pins_page) return;
    const pins::PinsState& pins = page.state();
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(pins.rows.size(), k_reported_rows); ++i) {
        const pins::PinRow& row = pins.rows[i];
        rows.push_back({{"name", row.name}, {"size", row.size_bytes}, {"released", row.released_bytes}});
    }
    described = {{"why_empty", pins.why_empty},
                 {"title", pins.title},
                 {"sentence", pins.sentence},
                 {"step", timeline->step_of_tick(pins.tick)},
                 {"worst_step", timeline->step_of_tick(pins.worst_tick)},
                 {"count", pins.rows.size()},
                 {"rows", std::move(rows)}};
}

void describe(const series::SeriesRuns& runs, const Session& /*session*/, JsonValue& report) {
    JsonValue& described = report["series"] = nullptr;
    const series::SeriesState& window = runs.state();
    if (window.paths.empty()) return;
    described = {{"paths", window.paths},
                 {"is_shown", window.is_open},
                 {"status", window.work.status},
                 {"is_stopped", window.work.is_stopped},
                 {"error", window.work.error},
                 {"by", window.is_by_size ? "sizes" : "pools"},
                 {"chosen", window.chosen},
                 {"is_followed", window.is_followed},
                 {"layers", window.layers.names},
                 {"samples", window.shown ? JsonValue(window.shown->series.sample_count()) : JsonValue(nullptr)}};
    if (!window.shown) return;
    JsonValue lines = JsonValue::array(), dumps = JsonValue::array(), ranks = JsonValue::array();
    for (const series::SeriesLineText& line : window.shown->lines) lines.push_back(line.text);
    for (const series::ShownSeriesDump& dump : window.shown->dumps) dumps.push_back(dump.file);
    for (const series::ShownSeriesLine& rank : window.shown->ranks) ranks.push_back(rank.words);
    described["lines"] = std::move(lines);
    described["dumps"] = std::move(dumps);
    described["ranks"] = std::move(ranks);
    described["gaps"] = window.shown->gaps.size();
}

namespace {

JsonValue replay_mode_report(const replay::RecordedRun& run, const replay::WhatIfMode& mode) {
    const JsonValue range =
        mode.peak_range ? JsonValue{mode.peak_range->first, mode.peak_range->second} : JsonValue(nullptr);
    return {{"start_fits", mode.start_fits},
            {"peak_reserved", mode.peak_reserved_bytes},
            {"peak_range", range},
            {"oom_event", mode.oom ? JsonValue(run.event_id(mode.oom->event)) : JsonValue(nullptr)}};
}

JsonValue answered_report(const replay::RecordedRun& run, const what_if::AnsweredQuestion& asked) {
    JsonValue settings = JsonValue::object();
    for (const auto& [name, value] : asked.settings) settings[name] = value;
    JsonValue report = {{"settings", std::move(settings)},
                        {"capacity", asked.answer.settings.capacity},
                        {"refused", asked.answer.refused},
                        {"sentence", what_if::verdict_sentence(asked.answer)},
                        {"verdict", nullptr}};
    if (!asked.answer.answer) return report;
    const replay::WhatIf& answer = *asked.answer.answer;
    report["verdict"] = replay::what_if_verdict_name(answer.verdict);
    report["modes"] = JsonValue::array();
    for (const replay::WhatIfMode& mode : answer.modes) report["modes"].push_back(replay_mode_report(run, mode));
    report["peak_as_recorded"] = {value_or_null<JsonValue>(answer.peak_as_recorded_bytes[0]),
                                  value_or_null<JsonValue>(answer.peak_as_recorded_bytes[1])};
    return report;
}

/// The first ranges and blocks of one side of the map.
JsonValue mapped_report(const space::AddressMoment& moment) {
    constexpr std::ptrdiff_t k_max_mapped = 200;
    JsonValue ranges = JsonValue::array(), blocks = JsonValue::array();
    for (const space::AddressMoment::Range& each : std::views::take(moment.ranges, k_max_mapped))
        ranges.push_back({each.range.address, each.range.size_bytes});
    for (const space::AddressMoment::Block& block : std::views::take(moment.blocks, k_max_mapped))
        blocks.push_back({block.address, block.size_bytes,
                          block.allocation.is_some() ? JsonValue(block.allocation.value) : JsonValue(nullptr)});
    return {{"reserved", moment.reserved_bytes},
            {"active", moment.active_bytes},
            {"ranges", std::move(ranges)},
            {"blocks", std::move(blocks)}};
}

JsonValue replayed_map_report(const what_if::WhatIfState& window) {
    if (!window.shows_map || window.map == nullptr || window.map->answer != window.answer) return nullptr;
    const what_if::MappedMoment& when = window.map->when;
    return {{"mode", replay::replay_mode_name(when.mode)},
            {"moment", when.events},
            {"failed", value_or_null<JsonValue>(when.failed)},
            {"recorded", mapped_report(*window.map->recorded)},
            {"replayed", mapped_report(*window.map->replayed)}};
}

}  // namespace

void describe(const what_if::WhatIfRuns& runs, const Session& /*session*/, JsonValue& report) {
    JsonValue& described = report["what_if"] = nullptr;
    const what_if::WhatIfState& window = runs.state();
    if (!window.is_open) return;
    JsonValue tried = JsonValue::array();
    for (const auto& one : window.tried)
        tried.push_back(
            {{"name", one->name},
             {"value", one->value},
             {"change", {value_or_null<JsonValue>(one->change_bytes[0]), value_or_null<JsonValue>(one->change_bytes[1])}},
             {"verdict", replay::what_if_verdict_name(one->answer.verdict)}});
    described = {
        {"why_not", window.why_not},
        {"agreement",
         window.recording ? JsonValue(what_if::agreement_sentence(window.recording->basis)) : JsonValue(nullptr)},
        {"answer", window.answer ? answered_report(window.recording->basis.run, *window.answer) : JsonValue(nullptr)},
        {"map", replayed_map_report(window)},
        {"tried", std::move(tried)},
        {"to_try", window.to_try},
        {"status", window.work.status},
        {"is_stopped", window.work.is_stopped},
        {"error", window.work.error}};
}

}  // namespace snapviewer::window_test
