#include <nlohmann/json.hpp>

#include "app/features/details/selected_details.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

/// The stack of the selected allocation for the report: its frames in display order, "fold 8" for a folded run of 8 frames,
/// "x 3" before a part that repeats three times.
JsonValue stack_report(const AppState& state) {
    const StackViewState& stack = state.details.stack;
    if (!state.selected().is_some() || !stack.is_arranged) return nullptr;
    JsonValue rows = JsonValue::array();
    for (const StackPart& part : stack.folded.parts) {
        if (part.times > 1) rows.push_back("x " + std::to_string(part.times));
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const StackItem& item = stack.folded.items[i];
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
            {"same", state.details.of_stack}};
}

}  // namespace

void SelectedDetails::describe(nlohmann::json& report) const { report["stack"] = stack_report(state_); }

}  // namespace snapviewer
