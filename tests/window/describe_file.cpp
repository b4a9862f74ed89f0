// What the window shows about the open file and the selection: opening, details, address map, and the
// rules for kinds.
#include <cstddef>
#include <string>
#include <utility>

#include "app/features/address_map/address_map.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/kinds/kinds.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

const char* disk_change_name(files::DiskChange change) {
    switch (change) {
        case files::DiskChange::none: return "unchanged";
        case files::DiskChange::changed: return "changed";
        case files::DiskChange::gone: return "gone";
    }
    return "";
}

}  // namespace

void describe(const files::FileOpener& opener, const Session& /*session*/, JsonValue& report) {
    report["loading"] = nullptr;
    if (const Progress* progress = opener.progress()) {
        report["loading"] = {{"file", opener.opening()->path},
                             {"stage", stage_text(progress->stage())},
                             {"fraction", progress->fraction()},
                             {"preview_samples", progress->totals().samples().size()}};
    }
    report["on_disk"] = disk_change_name(opener.on_disk());
    report["error"] = nullptr;
    if (const std::optional<files::FailedFile>& failed = opener.failed())
        report["error"] = {{"file", failed->path}, {"text", failed->error.text()}};
}

namespace {

/// The stack of the selected allocation for the report: its frames in display order, "fold 8" for a folded run of 8 frames,
/// "x 3" before a part that repeats three times.
JsonValue stack_report(const details::DetailsState& details) {
    const details::StackViewState& stack = details.stack;
    JsonValue rows = JsonValue::array();
    for (const details::StackPart& part : stack.folded.parts) {
        if (part.times > 1) rows.push_back("x " + std::to_string(part.times));
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const details::StackItem& item = stack.folded.items[i];
            if (item.is_folded)
                rows.push_back("fold " + std::to_string(item.end - item.begin));
            else
                rows.push_back(stack.lines[item.begin].full_text);
        }
    }
    const auto& headline = stack.folded.headline;
    return {{"frames", stack.lines.size()},
            {"rows", std::move(rows)},
            {"sources", stack.sources},
            {"headline", headline ? JsonValue(stack.lines[*headline].full_text) : JsonValue(nullptr)},
            {"opened", stack.opened_runs.size() + stack.opened_repeats.size()},
            {"same", details.of_stack}};
}

}  // namespace

void describe(const details::SelectedDetails& details, const Session& session, JsonValue& report) {
    report["stack"] = session.selected().is_some() && details.state().stack.is_arranged ? stack_report(details.state())
                                                                                        : JsonValue(nullptr);
    if (!details.is_rules_window_open()) return;
    report["stack_rules"] = {{"rules", details.edited().frame_rules},
                             {"editor", details.edited().editor_command},
                             {"folders", details.edited().source_folders},
                             {"error", details.rules_error()}};
}

void describe(const address_map::AddressMaps& maps, const Session& /*session*/, JsonValue& report) {
    JsonValue& map = report["address_map"];
    if (!maps.is_shown()) return;
    const address_map::AddressMapState& state = maps.state();
    JsonValue hole = nullptr;
    if (state.hole) {
        hole = {{"begin", state.hole->hole.begin},
                {"end", state.hole->hole.end},
                {"pins", state.hole->pins},
                {"sentences", state.hole->sentences}};
    }
    map = {{"why_empty", state.why_empty},
           {"moment", state.moment},
           {"held", state.is_held},
           {"title", state.title},
           {"segments", state.at.ranges.size()},
           {"blocks", state.at.blocks.size()},
           {"reserved", state.at.reserved_bytes},
           {"groups", state.group_names},
           {"lines", state.map.lines.size()},
           {"hole", std::move(hole)}};
}

void describe(const kinds::OwnRules& rules, const Session& /*session*/, JsonValue& report) {
    if (rules.is_open()) report["kind_rules"] = {{"text", rules.text()}, {"error", rules.error()}};
}

}  // namespace snapviewer::window_test
