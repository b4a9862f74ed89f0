#include "core/replay/what_if.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "core/base/text.h"

namespace snapviewer::replay {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const AllocatorSettings& settings) {
    return {{"expandable", settings.expandable},
            {"max_split", settings.max_split >= k_unlimited_bytes ? Json() : Json(settings.max_split)},
            {"non_split_rounding", settings.non_split_rounding},
            {"large_segment", settings.large_segment},
            {"roundup", settings.roundup},
            {"gc_threshold", settings.gc_threshold},
            {"capacity", settings.capacity},
            {"padding", settings.padding},
            {"alignment", settings.alignment}};
}

std::vector<std::string> changed_settings(const AllocatorSettings& a, const AllocatorSettings& b) {
    const Json before = settings_json(a);
    const Json after = settings_json(b);
    std::vector<std::string> changed;
    for (const auto& [name, value] : before.items()) {
        if (after.at(name) != value) changed.push_back(name);
    }
    return changed;
}

const char* cause_name(FlushCause cause) {
    constexpr std::array k_names = {"", "user", "retry"};
    return k_names[static_cast<std::size_t>(cause)];
}

/// The smallest and the largest peak, or null.
Json range_json(const std::optional<std::pair<std::uint64_t, std::uint64_t>>& range) {
    return range ? Json::array({range->first, range->second}) : Json();
}

Json start_json(const ReplayStart& start) {
    std::uint64_t bytes = 0;
    std::uint64_t guessed = 0;
    for (const auto& [address, block] : start.live) {
        bytes += block.size_bytes;
        guessed += block.is_guess ? 1 : 0;
    }
    return {{"reserved", start.reserved_bytes},
            {"segments", start.regions.size()},
            {"live_blocks", start.live.size()},
            {"live_bytes", bytes},
            {"guessed_sizes", guessed}};
}

Json card_check_json(const std::optional<CardCheck>& check) {
    if (!check) return {};
    if (!check->start_fits) return {{"capacity", check->capacity_bytes}, {"start_fits", false}};
    return {{"capacity", check->capacity_bytes},
            {"start_fits", true},
            {"flushes", check->flushes},
            {"flushes_made", check->flushes_made},
            {"flushes_equal", check->flushes_equal},
            {"ooms", check->ooms},
            {"ooms_made", check->ooms_made},
            {"ooms_equal", check->ooms_equal},
            {"segment_events", check->growth.recorded},
            {"predicted", check->growth.predicted},
            {"matched", check->growth.equal}};
}

Json difference_json(const RecordedRun& run, const std::optional<ReplayDifference>& difference) {
    if (!difference) return {};
    return {{"event", run.event_id(difference->event)},
            {"requested", difference->requested_bytes},
            {"recorded", difference->grew_in_recording ? "driver" : "cache"},
            {"replayed", difference->grew_in_replay ? "driver" : "cache"}};
}

Json agreement_json(const RecordedRun& run, const ReplayAgreement& agreement) {
    Json problems = Json::object();
    for (const auto& [name, count] : agreement.problems) problems[name] = count;
    return {{"events", run.event_count()},
            {"requests", agreement.requests},
            {"segment_events", agreement.growth.recorded},
            {"predicted", agreement.growth.predicted},
            {"matched", agreement.growth.equal},
            {"same_address", agreement.growth.same_address},
            {"frees", agreement.frees.recorded},
            {"frees_predicted", agreement.frees.predicted},
            {"frees_matched", agreement.frees.equal},
            {"event_agreement", agreement.event_agreement},
            {"placed", agreement.placed},
            {"placed_share", agreement.placed_share},
            {"in_segment_share", agreement.in_segment_share},
            {"curve_max", agreement.curve_max_bytes},
            {"curve_mean", agreement.curve_mean_bytes},
            {"curve_max_share", agreement.curve_max_share},
            {"peak_recorded", run.recorded_peak},
            {"peak_replayed", agreement.peak_replayed_bytes},
            {"final_recorded", agreement.final_recorded_bytes},
            {"final_replayed", agreement.final_replayed_bytes},
            {"end_blocks", agreement.end_blocks},
            {"end_blocks_same", agreement.end_blocks_same},
            {"problems", problems},
            {"lost", agreement.lost},
            {"card_check", card_check_json(agreement.card)},
            {"card_reproduced", agreement.card ? Json(agreement.card->is_reproduced()) : Json()},
            {"usable", agreement.is_usable()},
            {"reasons", agreement.reasons},
            {"untold", agreement.missing_facts},
            {"first_difference", difference_json(run, agreement.first_difference)}};
}

Json oom_json(const RecordedRun& run, const std::optional<ReplayOom>& oom) {
    if (!oom) return {};
    return {{"event", run.event_id(oom->event)},
            {"requested", oom->requested_bytes},
            {"reserved", oom->reserved_bytes},
            {"allocated", oom->allocated_bytes},
            {"free_in_segments", oom->free_in_segments_bytes},
            {"largest_free_block", oom->largest_free_bytes}};
}

Json segments_json(const std::vector<AllocatorModel::SegmentUse>& segments) {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
    std::uint64_t small = 0;
    std::uint64_t empty = 0;
    for (const AllocatorModel::SegmentUse& segment : segments) {
        bytes += segment.bytes;
        used += segment.used_bytes;
        small += segment.is_small ? 1 : 0;
        empty += segment.used_bytes == 0 ? 1 : 0;
    }
    return {{"count", segments.size()}, {"bytes", bytes}, {"used", used}, {"small", small}, {"empty", empty}};
}

Json mode_json(const RecordedRun& run, const WhatIfMode& mode) {
    if (!mode.start_fits) return {{"fits", false}, {"start_fits", false}, {"peak_range", range_json(mode.peak_range)}};
    const auto retried_json = [&](const RetriedOom& oom) {
        return Json{{"event", run.event_id(oom.event)},
                    {"requested", oom.requested_bytes},
                    {"fits", oom.reserved_with_it_bytes.has_value()},
                    {"reserved_with_it", value_or_null(oom.reserved_with_it_bytes)}};
    };
    double sum = 0;
    const Json points = json_array(mode.fragmentation, [&](const FragmentationPoint& point) {
        sum += point.fragmentation;
        return Json::array({run.event_id(point.event), point.reserved_bytes, point.allocated_bytes, point.fragmentation});
    });
    const auto count = static_cast<double>(std::max<std::size_t>(mode.fragmentation.size(), 1));
    return {{"fits", mode.fits()},
            {"start_fits", true},
            {"start_reserved", mode.start_reserved_bytes},
            {"peak_reserved", mode.peak_reserved_bytes},
            {"peak_event", mode.peak_event ? Json(run.event_id(*mode.peak_event)) : Json(-1)},
            {"peak_allocated", mode.peak_allocated_bytes},
            {"final_reserved", mode.final_reserved_bytes},
            {"device_mallocs", mode.driver_allocs},
            {"device_frees", mode.driver_frees},
            {"flushes", mode.flushes},
            {"oom", oom_json(run, mode.oom)},
            {"recorded_ooms", json_array(mode.recorded_ooms, retried_json)},
            {"mean_fragmentation", rounded(sum / count, 4)},
            {"fragmentation", points},
            {"segments_at_peak", segments_json(mode.segments_at_peak)},
            {"peak_range", range_json(mode.peak_range)}};
}

std::string event_text(const RecordedRun& run, std::uint32_t event) {
    return format_count(static_cast<std::uint64_t>(run.event_id(event)));
}

std::string mib_text(std::uint64_t bytes) { return format_bytes(bytes, 2); }

std::string mode_text(const RecordedRun& run, const WhatIfMode& mode, ReplayMode which) {
    std::string text = fmt::format("  {:8} ", replay_mode_name(which));
    if (!mode.start_fits) return text + "the memory held at the start does not fit\n";
    text += fmt::format("peak reserved {}", mib_text(mode.peak_reserved_bytes));
    if (mode.peak_range && mode.peak_range->first != mode.peak_range->second)
        text += fmt::format(" ({} to {})", mib_text(mode.peak_range->first), mib_text(mode.peak_range->second));
    text += mode.peak_event ? fmt::format(" at event {}", event_text(run, *mode.peak_event)) : " at the start";
    text += fmt::format(", {} allocated in {}, {} to the driver\n", mib_text(mode.peak_allocated_bytes),
                        counted(mode.segments_at_peak.size(), "segment"), counted(mode.driver_allocs, "request"));
    if (mode.oom) {
        text += fmt::format(
            "           out of memory at event {}: {} requested, {} reserved, {} allocated, largest free block {}\n",
            event_text(run, mode.oom->event), mib_text(mode.oom->requested_bytes), mib_text(mode.oom->reserved_bytes),
            mib_text(mode.oom->allocated_bytes), mib_text(mode.oom->largest_free_bytes));
    }
    for (const RetriedOom& oom : mode.recorded_ooms) {
        text += fmt::format("           the request of {} that failed at event {} {}\n", mib_text(oom.requested_bytes),
                            event_text(run, oom.event), oom.reserved_with_it_bytes ? "would fit" : "fails here too");
    }
    return text;
}

std::string change_text(const std::optional<std::int64_t>& change) {
    if (!change) return "the start does not fit";
    if (*change == 0) return "no change";
    const auto size = static_cast<std::uint64_t>(*change < 0 ? -*change : *change);
    return fmt::format("{}{}", *change < 0 ? "-" : "+", mib_text(size));
}

std::string tried_text(const TriedSetting& tried) {
    std::string text = fmt::format("  {:34}", tried.name + "=" + tried.value);
    for (std::size_t m = 0; m < tried.answer.modes.size(); ++m) {
        const auto& range = tried.answer.modes[m].peak_range;
        text += fmt::format(" {}: {}", replay_mode_name(static_cast<ReplayMode>(m)), change_text(tried.change_bytes[m]));
        if (range && range->first != range->second)
            text += fmt::format(" (peak {} to {})", mib_text(range->first), mib_text(range->second));
        text += m == 0 ? "," : "";
    }
    if (tried.answer.carried_is_upper_bound) text += "; carried is only an upper bound";
    return text + fmt::format("; {}\n", what_if_verdict_words(tried.answer.verdict));
}

Json tried_json(const TriedSetting& tried) {
    Json json = {{"name", tried.name},
                 {"value", tried.value},
                 {"verdict", what_if_verdict_name(tried.answer.verdict)},
                 {"carried_is_upper_bound", tried.answer.carried_is_upper_bound}};
    for (std::size_t m = 0; m < tried.answer.modes.size(); ++m) {
        const WhatIfMode& mode = tried.answer.modes[m];
        json[replay_mode_name(static_cast<ReplayMode>(m))] = {
            {"change", value_or_null(tried.change_bytes[m])},
            {"peak_reserved", mode.start_fits ? Json(mode.peak_reserved_bytes) : Json()},
            {"peak_range", range_json(mode.peak_range)}};
    }
    return json;
}

std::string answer_text(const ReplayReport& report) {
    const std::vector<std::string> changed = changed_settings(report.run.settings, report.settings);
    std::string text = fmt::format(
        "changed: {}; card: {}; verdict: {}\n", changed.empty() ? "nothing" : fmt::format("{}", fmt::join(changed, ", ")),
        report.settings.capacity == 0 ? std::string("size unknown")
                                      : fmt::format("{} ({})", mib_text(report.settings.capacity), report.capacity_from),
        what_if_verdict_words(report.answer->verdict));
    for (std::size_t m = 0; m < report.answer->modes.size(); ++m) {
        const auto mode = static_cast<ReplayMode>(m);
        text += mode_text(report.run, report.answer->modes[m], mode);
        if (mode == ReplayMode::carried && report.answer->carried_is_upper_bound)
            text += fmt::format("           {}\n", k_only_an_upper_bound);
        if (const auto& peak = report.answer->peak_as_recorded_bytes[m])
            text += fmt::format("           with the recorded settings: {}\n", mib_text(*peak));
        if (const auto& smallest = report.smallest_capacity_bytes[m])
            text += fmt::format("           smallest capacity that fits: {}\n", mib_text(*smallest));
    }
    if (!report.usual.empty()) text += "common settings, each on its own, compared with the recorded ones:\n";
    for (const TriedSetting& tried : report.usual) text += tried_text(tried);
    return text;
}

}  // namespace

std::string why_not_repeated(const ReplayBasis& basis) {
    const ReplayAgreement& agreement = basis.agreement;
    std::string text;
    if (const auto& first = agreement.first_difference) {
        const auto source = [](bool grew) { return grew ? "new memory of the driver" : "the cache"; };
        text += fmt::format("first difference: event {}, a request of {}, was served from {}; in the replay from {}{}\n",
                            event_text(basis.run, first->event), mib_text(first->requested_bytes),
                            source(first->grew_in_recording), source(first->grew_in_replay),
                            first->grew_in_recording == first->grew_in_replay ? ", at another place" : "");
    }
    for (const std::string& fact : agreement.missing_facts) text += "not in the file: " + fact + "\n";
    return text;
}

nlohmann::ordered_json replay_json(const ReplayReport& report, std::string_view file_name) {
    const auto flush_json = [&](const RecordedFlush& flush) {
        return Json{{"first", report.run.event_id(flush.first)},
                    {"end", report.run.event_id(flush.end)},
                    {"cause", cause_name(flush.cause)},
                    {"inferred", flush.is_inferred}};
    };
    Json json = {{"file", file_name},
                 {"device", report.run.trace->device},
                 {"recorded_settings", settings_json(report.run.settings)},
                 {"start", start_json(report.run.start)},
                 {"flushes", json_array(report.run.flushes, flush_json)},
                 {"card",
                  {{"at_least", report.card.at_least},
                   {"less_than", value_or_null(report.card.less_than)},
                   {"exactly", value_or_null(report.card.exactly)}}},
                 {"agreement", agreement_json(report.run, report.agreement)},
                 {"notes", Json::array()}};
    if (!report.is_asked) return json;
    json["capacity_from"] = report.capacity_from;
    json["settings"] = settings_json(report.settings);
    json["changed"] = changed_settings(report.run.settings, report.settings);
    json["refused"] = report.refused;
    if (!report.answer) return json;
    Json& answer = json["what_if"] = Json::object();
    answer["peak_as_recorded"] = Json::object();
    for (std::size_t m = 0; m < report.answer->modes.size(); ++m) {
        const char* name = replay_mode_name(static_cast<ReplayMode>(m));
        answer[name] = mode_json(report.run, report.answer->modes[m]);
        answer["peak_as_recorded"][name] = value_or_null(report.answer->peak_as_recorded_bytes[m]);
        if (report.smallest_capacity_bytes[m]) json["smallest_capacity"][name] = *report.smallest_capacity_bytes[m];
    }
    answer["verdict"] = what_if_verdict_name(report.answer->verdict);
    answer["carried_is_upper_bound"] = report.answer->carried_is_upper_bound;
    for (const TriedSetting& tried : report.usual) json["usual"].push_back(tried_json(tried));
    return json;
}

std::string replay_text(const ReplayReport& report) {
    const ReplayAgreement& agreement = report.agreement;
    std::string text = fmt::format(
        "replay of the recording: {} of {} get their recorded address, {:.1f} % of the segment events are "
        "reproduced, reserved memory differs by at most {}\n",
        format_count(agreement.placed), counted(agreement.requests, "allocation"), 100 * agreement.event_agreement,
        mib_text(agreement.curve_max_bytes));
    text += fmt::format("peak reserved: {} recorded, {} replayed\n", mib_text(report.run.recorded_peak),
                        mib_text(agreement.peak_replayed_bytes));
    if (!report.is_asked) {
        return text + (agreement.is_usable()
                           ? std::string("other settings can be tried with --set NAME=VALUE and --smallest\n")
                           : fmt::format("other settings cannot be tried: {}\n{}", fmt::join(agreement.reasons, "; "),
                                         why_not_repeated(report)));
    }
    if (!report.answer)
        return text + fmt::format("no answer: {}\n{}", fmt::join(report.refused, "; "), why_not_repeated(report));
    return text + answer_text(report);
}

}  // namespace snapviewer::replay
