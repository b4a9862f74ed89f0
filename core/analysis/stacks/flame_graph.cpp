#include "core/analysis/stacks/flame_graph.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/number_text.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

/// The parts of a call tree's text "file:line:function". A text without a number between two colons is a function alone.
struct CallLine {
    SourceLine place;
    std::string function;
};

CallLine call_line(std::string_view text) {
    for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
        CallLine call;
        const std::size_t digits = read_number(text.substr(colon + 1), call.place.line);
        const std::string_view rest = text.substr(colon + 1 + digits);
        if (digits == 0 || !rest.starts_with(':')) continue;
        call.place.file = text.substr(0, colon);
        call.function = rest.substr(1);
        return call;
    }
    return {{}, std::string(text)};
}

IcicleGroup group_of(const CallLine& call) {
    if (is_own_file(call.place.file)) return IcicleGroup::own_code;
    return is_python_file(call.place.file) ? IcicleGroup::library_code : IcicleGroup::native_code;
}

std::string label_of(const CallLine& call) {
    if (call.place.file.empty() || !is_python_file(call.place.file)) return call.function;
    return call.function + "  " + short_place(call.place);
}

/// Computes the left edge of each node's bar. Nodes are in depth-first order, so a parent comes before its children.
std::vector<std::uint64_t> left_edges(const CallTree& tree) {
    std::vector<std::uint64_t> lefts(tree.nodes.size());
    std::vector<std::uint64_t> next(tree.nodes.size());  // Left edge of the next child, by node
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        std::uint64_t& at = next[tree.nodes[i].parent];
        lefts[i] = next[i] = at;
        at += tree.nodes[i].inclusive_bytes;
    }
    return lefts;
}

/// A call tree that becomes bars, either downwards from the row of its root or upwards.
struct Part {
    const CallTree& tree;
    bool grows_up = false;
    std::vector<std::uint32_t> bar_of = {};  ///< Index of the bar of each node of the tree

    std::uint32_t row_of(std::size_t node, std::uint32_t root_row) const {
        const std::uint32_t depth = tree.nodes[node].depth;
        return grows_up ? root_row - depth : root_row + depth;
    }
};

/// Numbers the bars row by row, each row from left to right. All parts share the root's bar, which the first part creates.
void number_bars(std::vector<Part>& parts, Icicle& icicle) {
    struct Bar {
        std::uint32_t row = 0;
        Part* part = nullptr;
        std::uint32_t node = 0;
    };
    std::vector<Bar> bars;
    for (Part& part : parts) {
        part.bar_of.resize(part.tree.nodes.size());
        for (std::uint32_t i = part.grows_up ? 1 : 0; i < part.tree.nodes.size(); ++i)
            bars.push_back({part.row_of(i, icicle.root_row), &part, i});
    }
    std::ranges::stable_sort(bars, {}, &Bar::row);
    icicle.nodes.resize(bars.size());
    icicle.level_ends.resize(bars.back().row + 1);
    for (std::uint32_t i = 0; i < bars.size(); ++i) {
        bars[i].part->bar_of[bars[i].node] = i;
        icicle.level_ends[bars[i].row] = i + 1;
    }
    for (Part& part : parts) part.bar_of[0] = parts.front().bar_of[0];
}

void fill_bars(const Part& part, Icicle& icicle) {
    const CallTree& tree = part.tree;
    const std::vector<std::uint64_t> lefts = left_edges(tree);
    for (std::size_t i = part.grows_up ? 1 : 0; i < tree.nodes.size(); ++i) {
        const CallTree::Node& from = tree.nodes[i];
        CallLine call = call_line(tree.text(from));
        IcicleNode& node = icicle.nodes[part.bar_of[i]];
        node.label = label_of(call);
        node.group = tree.is_module_tree ? IcicleGroup::own_code : group_of(call);
        node.place = std::move(call.place);
        node.function = std::move(call.function);
        node.parent = i == 0 ? IcicleNode::k_none : part.bar_of[from.parent];
        node.depth = part.row_of(i, icicle.root_row);
        node.start = static_cast<double>(lefts[i]);
        node.width = static_cast<double>(from.inclusive_bytes);
    }
}

/// Returns the allocations sorted by the node at which their paths end, so that those of a node and of all nodes below it
/// are contiguous.
std::vector<std::pair<std::uint32_t, AllocationId>> by_node(const Timeline& timeline, const CallTree& tree,
                                                            std::span<const AllocationId> allocations) {
    std::vector<std::pair<std::uint32_t, AllocationId>> made;
    for (const AllocationId id : allocations) {
        const auto end = tree.ends.find(tree.key_of(timeline.trace(), id));
        if (end != tree.ends.end()) made.emplace_back(end->second, id);
    }
    std::ranges::stable_sort(made, {}, &std::pair<std::uint32_t, AllocationId>::first);
    return made;
}

/// Assigns the allocations to the bars of a part. The first part appends them to the icicle; later parts refer to these.
void add_entries(const Timeline& timeline, const Part& part, std::span<const AllocationId> allocations, Icicle& icicle) {
    const auto made = by_node(timeline, part.tree, allocations);
    const auto first_entry = static_cast<std::uint32_t>(icicle.entries.size());
    std::unordered_map<std::uint32_t, std::uint32_t> row_of;
    for (std::uint32_t i = 0; i < icicle.allocations.size(); ++i) row_of[icicle.allocations[i].value] = i;
    for (const auto& [node, id] : made) {
        const auto [row, is_new] = row_of.try_emplace(id.value, static_cast<std::uint32_t>(icicle.allocations.size()));
        if (is_new) icicle.allocations.push_back(id);
        icicle.entries.push_back(row->second);
        icicle.entry_nodes.push_back(part.bar_of[node]);
    }
    for (std::uint32_t i = part.grows_up ? 1 : 0; i < part.tree.nodes.size(); ++i) {
        IcicleNode& node = icicle.nodes[part.bar_of[i]];
        const auto first = std::ranges::lower_bound(made, i, {}, &std::pair<std::uint32_t, AllocationId>::first);
        node.first_entry = first_entry + static_cast<std::uint32_t>(first - made.begin());
        node.entry_count = static_cast<std::uint32_t>(part.tree.nodes[i].count);
    }
}

std::string axis_title_of(const FlameMoment& moment) {
    const std::string bytes = moment.of == FlameSelection::live ? "bytes alive"
                              : moment.of == FlameSelection::allocated
                                  ? "bytes allocated in the range"
                                  : "bytes allocated in the range and still alive at its end";
    if (moment.paths.frames == TreeFrames::modules) return bytes + ", by module";
    if (moment.paths.around) return bytes + ", who called " + moment.paths.around->name + " above it, what it called below";
    return bytes + (moment.paths.order == CallOrder::callers_first ? ", callers above what they call"
                                                                   : ", what allocates above its callers");
}

}  // namespace

std::vector<AllocationId> counted_allocations(const Timeline& timeline, const FlameMoment& moment) {
    const TickRange range{moment.first_tick, moment.tick};
    switch (moment.of) {
        case FlameSelection::live: break;
        case FlameSelection::allocated: return allocated_in(timeline, range);
        case FlameSelection::remaining: return allocated_in_and_live(timeline, range, range.last);
    }
    return timeline.live_after_tick(moment.tick);
}

Icicle make_flame_graph(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment) {
    const std::vector<AllocationId> allocations = counted_allocations(timeline, moment);
    PathChoice paths = moment.paths;
    if (paths.frames == TreeFrames::modules) paths.around.reset();
    if (paths.around) paths.order = CallOrder::callers_first;
    const auto below = make_call_tree(timeline, lines, allocations, paths);
    std::vector<Part> parts = {{below}};
    Icicle icicle;
    icicle.name = "flame graph";
    icicle.axis_title = axis_title_of(moment);
    icicle.total = static_cast<double>(below.nodes.front().inclusive_bytes);
    paths.order = CallOrder::callees_first;
    std::optional<CallTree> above;
    if (paths.around) {
        above = make_call_tree(timeline, lines, allocations, paths);
        parts.push_back({*above, true});
        icicle.root_row = std::ranges::max(above->nodes, {}, &CallTree::Node::depth).depth;
    }
    number_bars(parts, icicle);
    for (const Part& part : parts) fill_bars(part, icicle);
    for (const Part& part : parts) add_entries(timeline, part, allocations, icicle);
    return icicle;
}

std::string flame_as_folded(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment) {
    const auto tree =
        make_call_tree(timeline, lines, counted_allocations(timeline, moment), {.frames = moment.paths.frames});
    return folded_stacks(tree);
}

}  // namespace snapviewer
