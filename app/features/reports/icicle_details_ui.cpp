#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "app/features/reports/icicle.h"
#include "app/features/requests.h"
#include "app/ui/drawn_text.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer::reports {
namespace {

IcicleBar bar_of(const stacks::Icicle& icicle, std::uint32_t node) {
    return {node, node, icicle.nodes[node].start, icicle.nodes[node].end()};
}

void draw_hint() {
    wrapped_text(palette().text_dim,
                 std::string("A bar is as wide as everything below it. Click a bar for details, double-click to zoom into "
                             "it, press ") +
                     keys_of(CommandId::view_back) + " to go back.");
}

/// Returns the nodes in row `depth` whose parent is `node`, in their order on the screen. `depth` must be adjacent to the
/// node's own row.
std::vector<std::uint32_t> parts_in(const stacks::Icicle& icicle, std::uint32_t node, std::uint32_t depth) {
    std::vector<std::uint32_t> found;
    if (depth >= icicle.depth_count()) return found;
    for (std::uint32_t i = icicle.level_begin(depth); i < icicle.level_ends[depth]; ++i) {
        if (icicle.nodes[i].parent == node) found.push_back(i);
    }
    return found;
}

void draw_links(const stacks::Icicle& icicle, const char* title, const std::vector<std::uint32_t>& nodes,
                Requests& requests) {
    if (nodes.empty()) return;
    ImGui::Spacing();
    coloured_text(palette().text_faint, title);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(nodes.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const std::uint32_t number = nodes[static_cast<std::size_t>(i)];
            const stacks::IcicleNode& node = icicle.nodes[number];
            ImGui::PushID(static_cast<int>(number));
            const std::string text = fmt::format("{}   {}", amount_text(icicle.unit, node.width), node.label);
            if (ImGui::Selectable(text.c_str())) requests.ask(SelectNode{number});
            if (ImGui::IsItemHovered() && !node.place.file.empty()) {
                item_tooltip(fmt::format("{}:{}", node.place.file, node.place.line));
            }
            ImGui::PopID();
        }
    }
}

}  // namespace

void draw_icicle_details(const stacks::Icicle& icicle, std::optional<std::uint32_t> selected, Requests& requests) {
    if (!selected) {
        draw_hint();
        return;
    }
    const stacks::IcicleNode& node = icicle.nodes[*selected];
    ImGui::PushTextWrapPos(0);
    for (const Fact& fact : bar_facts(icicle, bar_of(icicle, *selected))) ImGui::TextUnformatted(fact_line(fact).c_str());
    ImGui::PopTextWrapPos();
    std::vector<std::uint32_t> path = path_to(icicle, *selected);
    path.pop_back();
    const bool is_caller = node.depth < icicle.root_row;
    if (is_caller) std::ranges::reverse(path);
    const char* const above = node.place.file.empty() ? "part of, outermost first" : "called from, outermost first";
    draw_links(icicle, is_caller ? "calls, down to the function" : above, path, requests);
    // If the depth is 0, `depth - 1` wraps around and parts_in() returns nothing.
    if (node.depth <= icicle.root_row)
        draw_links(icicle, "called by", parts_in(icicle, *selected, node.depth - 1), requests);
    if (!is_caller) draw_links(icicle, "made of", parts_in(icicle, *selected, node.depth + 1), requests);
    if (node.twin != stacks::IcicleNode::k_none) draw_links(icicle, "its other half", {node.twin}, requests);
}

std::string icicle_node_text(const stacks::Icicle& icicle, std::uint32_t node) {
    std::string text;
    for (const Fact& fact : bar_facts(icicle, bar_of(icicle, node))) text += fact_line(fact) + "\n";
    for (const std::uint32_t at : path_to(icicle, node)) text += "  " + icicle.nodes[at].label + "\n";
    return text;
}

}  // namespace snapviewer::reports
