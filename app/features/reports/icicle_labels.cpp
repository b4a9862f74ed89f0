#include "app/features/reports/icicle_labels.h"

#include <imgui.h>

#include <algorithm>

#include "core/base/number_text.h"

namespace snapviewer {
namespace {

std::string whole_place(const SourceLine& place) {
    return place.line > 0 ? place.file + ":" + std::to_string(place.line) : place.file;
}

}  // namespace

std::vector<Fact> bar_facts(const Icicle& icicle, const IcicleBar& bar) {
    const double amount = bar.x_end - bar.x_begin;
    const std::string size = amount_text(icicle.unit, amount) + ", " + share_text(amount, icicle.total) + " of all";
    if (bar.is_run()) return {{"", bar_text(icicle, bar)}, {"", size}, {"too narrow to draw one by one; zoom in", ""}};
    const IcicleNode& node = icicle.nodes[bar.first_node];
    std::vector<Fact> facts = {{"", node.label}, {"", size}};
    if (!node.place.file.empty()) facts.push_back({"at", whole_place(node.place)});
    if (node.parent != IcicleNode::k_none) {
        const IcicleNode& parent = icicle.nodes[node.parent];
        facts.push_back({"of " + parent.label, share_text(amount, parent.width)});
    }
    if (node.entry_count > 1) {
        facts.push_back({icicle.unit == Unit::bytes ? "allocations" : "operations", format_count(node.entry_count)});
    }
    if (node.twin != IcicleNode::k_none) {
        const IcicleNode& twin = icicle.nodes[node.twin];
        facts.push_back(
            {twin.group == IcicleGroup::backward ? "backward" : "forward", amount_text(icicle.unit, twin.width)});
    }
    return facts;
}

std::vector<std::uint32_t> path_to(const Icicle& icicle, std::uint32_t node) {
    std::vector<std::uint32_t> path;
    for (std::uint32_t at = node; at != IcicleNode::k_none; at = icicle.nodes[at].parent) path.push_back(at);
    std::ranges::reverse(path);
    return path;
}

std::string fitting_text(const std::string& text, float width_px) {
    if (ImGui::CalcTextSize(text.c_str()).x <= width_px) return text;
    const float room = width_px - ImGui::CalcTextSize("…").x;
    const char* cut = text.c_str();
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(room, 0.0F), 0, text.c_str(), nullptr, &cut);
    return text.substr(0, static_cast<std::size_t>(cut - text.c_str())) + "…";
}

}  // namespace snapviewer
