#include "core/analysis/flame_graph.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace snapviewer {
namespace {

/// A line of a call tree, "file:line:function", taken apart. Only the function where there is no number between colons.
struct CallLine {
    SourceLine place;
    std::string function;
};

CallLine call_line(std::string_view text) {
    for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
        CallLine call;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, call.place.line);
        if (error != std::errc() || rest == end || *rest != ':') continue;
        call.place.file = text.substr(0, colon);
        call.function = std::string(rest + 1, end);
        return call;
    }
    return {{}, std::string(text)};
}

IcicleGroup group_of(const CallLine& call) {
    if (is_own_file(call.place.file)) return IcicleGroup::own_code;
    return is_python_file(call.place.file) ? IcicleGroup::library_code : IcicleGroup::native_code;
}

std::string label_of(const CallLine& call) {
    if (call.place.line == 0 || !is_python_file(call.place.file)) return call.function;
    return call.function + "  " + short_place(call.place);
}

/// Left edges, in the order of a call tree: depth first, so a parent comes before its children.
std::vector<std::uint64_t> left_edges(const CallTree& tree) {
    std::vector<std::uint64_t> lefts(tree.nodes.size());
    std::vector<std::uint64_t> next(tree.nodes.size());  // where the next child begins
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        std::uint64_t& at = next[tree.nodes[i].parent];
        lefts[i] = next[i] = at;
        at += tree.nodes[i].inclusive_bytes;
    }
    return lefts;
}

/// Call-tree nodes level by level, each from left to right.
std::vector<std::uint32_t> by_level(const CallTree& tree, Icicle& icicle) {
    std::uint32_t depths = 0;
    for (const CallTree::Node& node : tree.nodes) depths = std::max(depths, node.depth + 1);
    icicle.level_ends.assign(depths, 0);
    for (const CallTree::Node& node : tree.nodes) ++icicle.level_ends[node.depth];
    std::vector<std::uint32_t> at(depths, 0);
    for (std::size_t depth = 1; depth < depths; ++depth) {
        at[depth] = icicle.level_ends[depth - 1];
        icicle.level_ends[depth] += icicle.level_ends[depth - 1];
    }
    std::vector<std::uint32_t> place(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) place[i] = at[tree.nodes[i].depth]++;
    return place;
}

/// The live allocations by the tree's node that made them, so that those below a node are neighbours.
void add_entries(const Timeline& timeline, const CallTree& tree, const std::vector<std::uint32_t>& place, Icicle& icicle) {
    std::vector<std::pair<std::uint32_t, AllocationId>> made;
    for (const AllocationId id : timeline.live_after_tick(tree.tick))
        made.emplace_back(tree.ends.at(CallTree::path_key(timeline.trace(), id)), id);
    std::ranges::stable_sort(made, {}, &std::pair<std::uint32_t, AllocationId>::first);
    for (const auto& [node, id] : made) {
        icicle.entries.push_back(static_cast<std::uint32_t>(icicle.entries.size()));
        icicle.entry_nodes.push_back(place[node]);
        icicle.allocations.push_back(id);
    }
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        IcicleNode& node = icicle.nodes[place[i]];
        const auto first = std::ranges::lower_bound(made, i, {}, &std::pair<std::uint32_t, AllocationId>::first);
        node.first_entry = static_cast<std::uint32_t>(first - made.begin());
        node.entry_count = static_cast<std::uint32_t>(tree.nodes[i].count);
    }
}

}  // namespace

Result<Icicle> make_flame_graph(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment,
                                const Progress* progress) {
    const auto tree = make_call_tree(timeline, lines, moment.tick, moment.frames, progress, moment.order);
    if (!tree) return tree.error();
    Icicle icicle;
    icicle.name = "flame graph";
    icicle.axis_title = moment.order == CallOrder::callers_first ? "bytes alive, callers above what they call"
                                                                 : "bytes alive, what allocates above its callers";
    icicle.total = static_cast<double>(tree->nodes.front().inclusive_bytes);
    const std::vector<std::uint32_t> place = by_level(*tree, icicle);
    const std::vector<std::uint64_t> lefts = left_edges(*tree);
    icicle.nodes.resize(tree->nodes.size());
    for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
        const CallTree::Node& from = tree->nodes[i];
        const CallLine call = call_line(tree->text(from));
        IcicleNode& node = icicle.nodes[place[i]];
        node.label = label_of(call);
        node.place = call.place;
        node.group = group_of(call);
        node.parent = i == 0 ? IcicleNode::k_none : place[from.parent];
        node.depth = from.depth;
        node.start = static_cast<double>(lefts[i]);
        node.width = static_cast<double>(from.inclusive_bytes);
    }
    add_entries(timeline, *tree, place, icicle);
    return icicle;
}

}  // namespace snapviewer
