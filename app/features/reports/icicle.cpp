#include "app/features/reports/icicle.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace snapviewer::reports {
namespace {

/// Maximum zoom: the smallest visible part of the icicle, as a fraction of its whole width.
constexpr double k_min_bar_share = 1e-7;

/// Iterates over the nodes in one row of an icicle that overlap the window, in pixels.
class BarRow {
public:
    BarRow(const stacks::Icicle& icicle, std::uint32_t depth, const IcicleWindow& window, double width_px)
        : icicle_(icicle),
          window_(window),
          px_per_unit_(width_px / window.width()),
          begin_(icicle.level_begin(depth)),
          end_(icicle.level_ends[depth]) {}

    std::vector<IcicleBar> bars() const {
        std::vector<IcicleBar> bars;
        for (std::uint32_t node = first(); node < end_ && icicle_.nodes[node].start < window_.x_end;) {
            const std::uint32_t last = is_narrow(node) ? last_narrow(node) : node;
            bars.push_back({node, last, icicle_.nodes[node].start, icicle_.nodes[last].end()});
            node = last + 1;
        }
        return bars;
    }

private:
    bool is_narrow(std::uint32_t node) const { return icicle_.nodes[node].width * px_per_unit_ < 1; }

    /// Returns the first node that starts at or right of `x`.
    std::uint32_t from(double x) const {
        const auto at = std::partition_point(icicle_.nodes.begin() + begin_, icicle_.nodes.begin() + end_,
                                             [x](const stacks::IcicleNode& node) { return node.start < x; });
        return static_cast<std::uint32_t>(at - icicle_.nodes.begin());
    }
    std::uint32_t first() const {
        const std::uint32_t node = from(window_.x_begin);
        return node > begin_ && icicle_.nodes[node - 1].end() > window_.x_begin ? node - 1 : node;
    }

    /// Returns the last node of a run of nodes, each narrower than a pixel, with gaps of less than a pixel between them.
    /// Looks at one node per pixel.
    std::uint32_t last_narrow(std::uint32_t node) const {
        const double pixel = 1 / px_per_unit_;
        std::uint32_t last = node;
        while (icicle_.nodes[last].start < window_.x_end) {
            const std::uint32_t next = std::max(last + 1, from(icicle_.nodes[last].start + pixel));
            // Among nodes that start within the same pixel, only the last one can be wide.
            if (next - 1 > last) last = is_narrow(next - 1) ? next - 1 : next - 2;
            const bool goes_on = next == last + 1 && next < end_ && is_narrow(next) &&
                                 icicle_.nodes[next].start - icicle_.nodes[last].end() < pixel;
            if (!goes_on) break;
            last = next;
        }
        return last;
    }

    const stacks::Icicle& icicle_;
    const IcicleWindow& window_;
    double px_per_unit_;
    std::uint32_t begin_;
    std::uint32_t end_;
};

IcicleWindow clamped(const stacks::Icicle& icicle, IcicleWindow window) {
    const double total = icicle.total > 0 ? icicle.total : 1;
    const double width = std::clamp(window.width(), total * k_min_bar_share, total);
    window.x_begin = std::clamp(window.x_begin, 0.0, total - width);
    window.x_end = window.x_begin + width;
    return window;
}

const char* entry_word(const stacks::Icicle& icicle, std::uint32_t count) {
    if (icicle.unit == Unit::bytes) return count == 1 ? "allocation" : "allocations";
    return count == 1 ? "operation" : "operations";
}

}  // namespace

std::vector<IcicleBar> visible_bars(const stacks::Icicle& icicle, std::uint32_t depth, const IcicleWindow& window,
                                    double width_px) {
    return BarRow(icicle, depth, window, width_px).bars();
}

IcicleWindow whole_icicle(const stacks::Icicle& icicle) { return {0, icicle.total > 0 ? icicle.total : 1, 0}; }

IcicleWindow zoom_icicle(const stacks::Icicle& icicle, const IcicleWindow& window, double x, double factor) {
    const double total = icicle.total > 0 ? icicle.total : 1;
    const double width = std::clamp(window.width() * factor, total * k_min_bar_share, total);
    const double share = (x - window.x_begin) / window.width();
    return clamped(icicle, {x - share * width, x - share * width + width, window.top_row});
}

IcicleWindow pan_icicle(const stacks::Icicle& icicle, const IcicleWindow& window, double dx, double rows,
                        double rows_on_screen) {
    IcicleWindow moved = clamped(icicle, {window.x_begin + dx, window.x_end + dx, window.top_row});
    const double lowest = std::max(0.0, static_cast<double>(icicle.depth_count()) - rows_on_screen);
    moved.top_row = std::clamp(window.top_row + rows, 0.0, lowest);
    return moved;
}

std::string amount_text(Unit unit, double amount) {
    if (unit != Unit::milliseconds) return format_bytes(static_cast<std::uint64_t>(std::max(0.0, amount)));
    if (amount > 0 && amount < 0.001) return fmt::format("{:.0f} ns", amount * 1e6);
    if (amount < 1) return fmt::format("{:.3g} us", amount * 1000);
    return amount < 1000 ? fmt::format("{:.2f} ms", amount) : fmt::format("{:.2f} s", amount / 1000);
}

std::string share_text(double amount, double total) {
    return fmt::format("{:.1f} %", total > 0 ? 100 * amount / total : 0.0);
}

std::uint32_t entries_in(const stacks::Icicle& icicle, const IcicleBar& bar) {
    const stacks::IcicleNode& last = icicle.nodes[bar.last_node];
    return last.first_entry + last.entry_count - icicle.nodes[bar.first_node].first_entry;
}

std::string bar_text(const stacks::Icicle& icicle, const IcicleBar& bar) {
    if (bar.is_run()) {
        const std::uint32_t count = entries_in(icicle, bar);
        return fmt::format("... {} {}", format_count(count), entry_word(icicle, count));
    }
    const stacks::IcicleNode& node = icicle.nodes[bar.first_node];
    if (node.depth == icicle.root_row) return node.label + "  " + amount_text(icicle.unit, node.width);
    if (!node.is_leaf) return node.label;
    const bool is_under_its_line = icicle.nodes[node.parent].place == node.place;
    return node.label + "  " + (is_under_its_line ? amount_text(icicle.unit, node.width) : stacks::short_place(node.place));
}

std::string totals_text(const stacks::Icicle& icicle) {
    if (icicle.nodes.empty()) return "";
    std::string text;
    double forward = 0;
    double backward = 0;
    for (std::uint32_t i = icicle.level_begin(icicle.root_row); i < icicle.level_ends[icicle.root_row]; ++i) {
        const stacks::IcicleNode& root = icicle.nodes[i];
        if (root.group == IcicleGroup::forward) forward = root.width;
        if (root.group == IcicleGroup::backward) backward = root.width;
        text += fmt::format("{} {}  ·  ", root.label, amount_text(icicle.unit, root.width));
    }
    text += "sum " + amount_text(icicle.unit, icicle.total);
    if (forward > 0 && backward > 0) text += fmt::format("  ·  backward/forward {:.2f}", backward / forward);
    return text;
}

std::vector<Fact> bar_facts(const stacks::Icicle& icicle, const IcicleBar& bar) {
    const double amount = bar.x_end - bar.x_begin;
    const std::string size = amount_text(icicle.unit, amount) + ", " + share_text(amount, icicle.total) + " of all";
    if (bar.is_run()) return {{"", bar_text(icicle, bar)}, {"", size}, {"too narrow to draw one by one; zoom in", ""}};
    const stacks::IcicleNode& node = icicle.nodes[bar.first_node];
    std::vector<Fact> facts = {{"", node.label}, {"", size}};
    if (const auto& [file, line] = node.place; !file.empty())
        facts.push_back({"at", line > 0 ? fmt::format("{}:{}", file, line) : file});
    if (node.parent != stacks::IcicleNode::k_none) {
        const stacks::IcicleNode& parent = icicle.nodes[node.parent];
        facts.push_back({"of " + parent.label, share_text(amount, parent.width)});
    }
    if (node.entry_count > 1) {
        facts.push_back({icicle.unit == Unit::bytes ? "allocations" : "operations", format_count(node.entry_count)});
    }
    if (node.twin != stacks::IcicleNode::k_none) {
        const stacks::IcicleNode& twin = icicle.nodes[node.twin];
        facts.push_back(
            {twin.group == IcicleGroup::backward ? "backward" : "forward", amount_text(icicle.unit, twin.width)});
    }
    return facts;
}

std::vector<std::uint32_t> path_to(const stacks::Icicle& icicle, std::uint32_t node) {
    std::vector<std::uint32_t> path;
    for (std::uint32_t at = node; at != stacks::IcicleNode::k_none; at = icicle.nodes[at].parent) path.push_back(at);
    std::ranges::reverse(path);
    return path;
}

std::string fact_line(const Fact& fact) { return fact.name.empty() ? fact.value : fact.name + "  " + fact.value; }

IcicleState make_icicle_state(const std::vector<stacks::Icicle>& icicles, bool has_timeline) {
    IcicleState state;
    for (const stacks::Icicle& icicle : icicles) {
        state.views.emplace_back();
        state.views.back().window = whole_icicle(icicle);
    }
    if (!has_timeline && !icicles.empty()) state.shown = 0;
    return state;
}

std::size_t next_picture(const IcicleState& state, bool has_timeline) {
    const std::size_t shown = state.shown ? *state.shown + 1 : 0;
    if (shown < state.views.size()) return shown + 1;
    return has_timeline || state.views.empty() ? 0 : 1;
}

void zoom_into_bar(IcicleViewState& state, const stacks::Icicle& icicle, double x_begin, double x_end) {
    if (!(x_end > x_begin)) return;
    state.zoomed_from.push_back(state.window);
    const double air = 0.01 * (x_end - x_begin);
    const double middle = (x_begin + x_end) / 2;
    const double factor = (x_end - x_begin + 2 * air) / state.window.width();
    // zoom_icicle() keeps its fixed point in place, so the range is moved to the middle of the window first.
    IcicleWindow window = state.window;
    const double shift = middle - (window.x_begin + window.x_end) / 2;
    window.x_begin += shift;
    window.x_end += shift;
    state.window = zoom_icicle(icicle, window, middle, factor);
}

void zoom_icicle_about_middle(IcicleViewState& state, const stacks::Icicle& icicle, double factor) {
    state.window = zoom_icicle(icicle, state.window, (state.window.x_begin + state.window.x_end) / 2, factor);
}

void zoom_icicle_to_selection(IcicleViewState& state, const stacks::Icicle& icicle) {
    if (!state.selected) return;
    const stacks::IcicleNode& node = icicle.nodes[*state.selected];
    zoom_into_bar(state, icicle, node.start, node.end());
}

bool zoom_icicle_out(IcicleViewState& state, const stacks::Icicle& icicle) {
    if (!state.zoomed_from.empty()) {
        state.window = state.zoomed_from.back();
        state.zoomed_from.pop_back();
        return true;
    }
    const IcicleWindow whole = whole_icicle(icicle);
    if (state.window == whole) return false;
    state.window = whole;
    return true;
}

}  // namespace snapviewer::reports
