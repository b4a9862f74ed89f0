#include "core/analysis/stacks/icicle.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer::stacks {
namespace {

/// Sorts nodes from depth-first order into levels. Depth-first order already visits each level from left to right.
void sort_into_levels(Icicle& icicle) {
    std::vector<std::uint32_t> order(icicle.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return icicle.nodes[i].depth; });

    std::vector<std::uint32_t> moved_to(order.size());
    std::vector<IcicleNode> nodes;
    nodes.reserve(order.size());
    for (const std::uint32_t from : order) {
        moved_to[from] = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back(std::move(icicle.nodes[from]));
        if (nodes.back().depth == icicle.level_ends.size()) icicle.level_ends.push_back(0);
        icicle.level_ends.back() = static_cast<std::uint32_t>(nodes.size());
    }
    for (IcicleNode& node : nodes) {
        if (node.parent != IcicleNode::k_none) node.parent = moved_to[node.parent];
    }
    icicle.nodes = std::move(nodes);
}

void note_leaves(Icicle& icicle) {
    icicle.entry_nodes.resize(icicle.entries.size());
    for (std::uint32_t i = 0; i < icicle.nodes.size(); ++i) {
        const IcicleNode& node = icicle.nodes[i];
        if (node.is_leaf) std::fill_n(icicle.entry_nodes.begin() + node.first_entry, node.entry_count, i);
    }
}

void pair_twins(Icicle& icicle) {
    std::unordered_map<std::uint32_t, std::uint32_t> first_leaf;
    for (std::size_t i = 0; i < icicle.entries.size(); ++i) {
        const std::uint32_t leaf = icicle.entry_nodes[i];
        const auto [found, is_new] = first_leaf.emplace(icicle.entries[i], leaf);
        if (is_new || icicle.nodes[found->second].group == icicle.nodes[leaf].group) continue;
        icicle.nodes[found->second].twin = leaf;
        icicle.nodes[leaf].twin = found->second;
    }
}

/// Adds a bar without width and entries. Returns its index.
std::uint32_t add_node(Icicle& icicle, std::uint32_t parent, std::string label, SourceLine place, IcicleGroup group,
                       double start, std::size_t first_entry) {
    IcicleNode node;
    node.label = std::move(label);
    node.place = std::move(place);
    node.group = group;
    node.parent = parent;
    node.depth = parent == IcicleNode::k_none ? 0 : icicle.nodes[parent].depth + 1;
    node.start = start;
    node.first_entry = static_cast<std::uint32_t>(first_entry);
    icicle.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(icicle.nodes.size() - 1);
}

/// Builds an icicle from entries in their given order.
class OrderedBuilder {
public:
    OrderedBuilder(Icicle& out, std::span<const IcicleEntry> entries, bool has_calls_apart)
        : out_(out), entries_(entries), has_calls_apart_(has_calls_apart) {
        ends_.reserve(entries.size() + 1);
        ends_.push_back(0);
        for (const IcicleEntry& entry : entries) {
            check_stop();
            ends_.push_back(ends_.back() + entry.width);
            out_.entries.push_back(entry.entry);
        }
        out_.total = ends_.back();
    }

    void run() {
        for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
            check_stop();
            while (end < entries_.size() && entries_[end].group == entries_[begin].group) ++end;
            const std::uint32_t root = add({begin, end}, IcicleNode::k_none, group_name(entries_[begin].group), {});
            add_level({begin, end}, 0, root);
        }
    }

private:
    struct Extent {
        std::size_t begin, end;
    };

    std::uint32_t add(Extent extent, std::uint32_t parent, std::string label, SourceLine place) {
        const std::uint32_t added = add_node(out_, parent, std::move(label), std::move(place), entries_[extent.begin].group,
                                             ends_[extent.begin], extent.begin);
        out_.nodes[added].width = ends_[extent.end] - ends_[extent.begin];
        out_.nodes[added].entry_count = static_cast<std::uint32_t>(extent.end - extent.begin);
        return added;
    }

    /// True if two entries have the same frame at a depth, so that they share a bar. Leaves are never shared.
    bool share(std::size_t a, std::size_t b, std::size_t depth) const {
        const std::vector<SourceLine>& x = entries_[a].frames;
        const std::vector<SourceLine>& y = entries_[b].frames;
        return depth < x.size() && depth < y.size() && x[depth] == y[depth];
    }
    bool have_same_call(std::size_t a, std::size_t b, std::size_t depth) const {
        const bool are_leaves = depth >= entries_[a].frames.size() && depth >= entries_[b].frames.size();
        return are_leaves ? entries_[a].label == entries_[b].label : share(a, b, depth);
    }

    /// The index after the first call in a run of entries that share a bar at depth - 1. The next call begins where the
    /// first bar of the run at `depth` occurs again.
    std::size_t end_of_call(Extent run, std::size_t depth) const {
        if (!has_calls_apart_) return run.end;
        bool has_moved_on = false;
        for (std::size_t i = run.begin + 1; i < run.end; ++i) {
            const bool is_first_again = have_same_call(run.begin, i, depth);
            if (is_first_again && has_moved_on) return i;
            has_moved_on = !is_first_again;
        }
        return run.end;
    }

    void add_level(Extent extent, std::size_t depth, std::uint32_t parent) {
        for (std::size_t begin = extent.begin, end = begin; begin < extent.end; begin = end) {
            check_stop();
            const std::vector<SourceLine>& frames = entries_[begin].frames;
            end = begin + 1;
            if (depth >= frames.size()) {
                const std::uint32_t leaf =
                    add({begin, end}, parent, entries_[begin].label, frames.empty() ? SourceLine{} : frames.back());
                out_.nodes[leaf].is_leaf = true;
                continue;
            }
            while (end < extent.end && share(begin, end, depth)) ++end;
            end = end_of_call({begin, end}, depth + 1);
            add_level({begin, end}, depth + 1, add({begin, end}, parent, short_place(frames[depth]), frames[depth]));
        }
    }

    Icicle& out_;
    std::span<const IcicleEntry> entries_;
    bool has_calls_apart_;
    std::vector<double> ends_;  ///< Right edge of the entries before each entry, that is its left edge
};

/// Builds an icicle from entries merged by source line.
class SourceBuilder {
public:
    explicit SourceBuilder(Icicle& out, std::span<const IcicleEntry> entries) : out_(out), entries_(entries) {}

    void run() {
        std::map<IcicleGroup, std::size_t> root_of;
        std::vector<std::size_t> roots;
        for (std::uint32_t i = 0; i < entries_.size(); ++i) {
            const auto [root, is_new] = root_of.try_emplace(entries_[i].group, places_.size());
            if (is_new) {
                roots.push_back(places_.size());
                places_.push_back({});
            }
            insert(i, root->second);
        }
        for (const std::size_t root : roots) {
            const std::uint32_t node = open(places_[root], IcicleNode::k_none, group_name(group_of(places_[root])));
            add_below(places_[root], node);
            close(node);
        }
        out_.total = end_;
    }

private:
    struct Place {
        SourceLine line;
        double width = 0;
        double own_width = 0;
        std::map<SourceLine, std::size_t> inner;  ///< Index into places_ of each inner place
        std::vector<std::uint32_t> own;           ///< Indices of the entries that belong directly to this place
    };

    void insert(std::uint32_t number, std::size_t at) {
        const IcicleEntry& entry = entries_[number];
        places_[at].width += entry.width;
        for (const SourceLine& frame : entry.frames) {
            check_stop();
            const auto [inner, is_new] = places_[at].inner.try_emplace(frame, places_.size());
            at = inner->second;
            if (is_new) places_.push_back({frame, 0, 0, {}, {}});
            places_[at].width += entry.width;
        }
        places_[at].own_width += entry.width;
        places_[at].own.push_back(number);
    }

    IcicleGroup group_of(const Place& place) const {
        const Place* at = &place;
        while (at->own.empty()) at = &places_[at->inner.begin()->second];
        return entries_[at->own.front()].group;
    }

    std::uint32_t open(const Place& place, std::uint32_t parent, std::string label) {
        return add_node(out_, parent, std::move(label), place.line, group_of(place), end_, out_.entries.size());
    }
    void close(std::uint32_t number) {
        IcicleNode& node = out_.nodes[number];
        node.width = end_ - node.start;
        node.entry_count = static_cast<std::uint32_t>(out_.entries.size()) - node.first_entry;
    }

    void add_place(const Place& place, std::uint32_t parent) {
        const Place* at = &place;
        while (at->own.empty() && at->inner.size() == 1) at = &places_[at->inner.begin()->second];
        if (at->inner.empty()) {
            add_leaf(*at, parent);
            return;
        }
        const std::uint32_t node = open(*at, parent, short_place(at->line));
        add_below(*at, node);
        close(node);
    }

    void add_below(const Place& place, std::uint32_t node) {
        std::vector<const Place*> below;
        for (const auto& [line, inner] : place.inner) below.push_back(&places_[inner]);
        if (!place.own.empty()) below.push_back(&place);
        const auto width = [&](const Place* at) { return at == &place ? at->own_width : at->width; };
        std::ranges::stable_sort(below, std::greater<>(), width);
        for (const Place* at : below) {
            if (at == &place)
                add_leaf(place, node);
            else
                add_place(*at, node);
        }
    }

    /// Adds one leaf for all operations of a line. Its label lists each name once.
    void add_leaf(const Place& place, std::uint32_t parent) {
        std::vector<std::string_view> names;
        std::string label;
        for (const std::uint32_t number : place.own) {
            check_stop();
            const std::string& name = entries_[number].label;
            if (std::ranges::find(names, name) != names.end()) continue;
            label += (names.empty() ? "" : ", ") + name;
            names.push_back(name);
        }
        const std::uint32_t node = open(place, parent, std::move(label));
        out_.nodes[node].is_leaf = true;
        for (const std::uint32_t number : place.own) {
            out_.entries.push_back(entries_[number].entry);
            end_ += entries_[number].width;
        }
        close(node);
    }

    Icicle& out_;
    std::span<const IcicleEntry> entries_;
    std::vector<Place> places_;
    double end_ = 0;
};

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

const char* group_name(IcicleGroup group) {
    constexpr std::array k_names = {"Weights",  "Activations", "Untracked", "Forward", "Backward", "Forward and backward",
                                    "Own code", "Libraries",   "C++"};
    return k_names.at(static_cast<std::size_t>(group));
}

std::string short_place(const SourceLine& place) {
    const std::size_t slash = place.file.find_last_of("/\\");
    std::string text = slash == std::string::npos ? place.file : place.file.substr(slash + 1);
    if (place.line > 0) text += ":" + std::to_string(place.line);
    return text;
}

std::optional<std::uint32_t> Icicle::pick(double x, std::uint32_t depth) const {
    if (depth >= depth_count()) return std::nullopt;
    const auto begin = nodes.begin() + level_begin(depth);
    const auto after = std::upper_bound(begin, nodes.begin() + level_ends[depth], x,
                                        [](double place, const IcicleNode& node) { return place < node.start; });
    if (after == begin || x >= (after - 1)->end()) return std::nullopt;
    return static_cast<std::uint32_t>(after - 1 - nodes.begin());
}

std::optional<std::uint32_t> Icicle::leaf_of(std::uint32_t entry) const {
    const auto found = std::ranges::find(entries, entry);
    if (found == entries.end()) return std::nullopt;
    return entry_nodes[static_cast<std::size_t>(found - entries.begin())];
}

std::optional<std::uint32_t> Icicle::leaf_of(AllocationId id) const {
    const auto found = std::ranges::find(allocations, id);
    if (!id.is_some() || found == allocations.end()) return std::nullopt;
    return leaf_of(static_cast<std::uint32_t>(found - allocations.begin()));
}

std::vector<AllocationId> Icicle::allocations_of(const IcicleNode& node) const {
    std::vector<AllocationId> made;
    for (const std::uint32_t entry : entries_of(node)) {
        if (entry < allocations.size() && allocations[entry].is_some()) made.push_back(allocations[entry]);
    }
    return made;
}

Icicle build_icicle(const IciclePicture& picture, std::span<const IcicleEntry> entries) {
    Icicle icicle;
    icicle.name = picture.title.name;
    icicle.axis_title = picture.title.axis_title;
    icicle.unit = picture.title.unit;
    if (picture.layout == IcicleLayout::by_source)
        SourceBuilder(icicle, entries).run();
    else
        OrderedBuilder(icicle, entries, picture.layout == IcicleLayout::in_order_per_call).run();
    sort_into_levels(icicle);
    note_leaves(icicle);
    pair_twins(icicle);
    return icicle;
}

std::vector<Icicle> build_icicles(std::span<const IcicleRows> reports) {
    std::vector<Icicle> icicles;
    for (const IcicleRows& rows : reports) {
        for (const IciclePicture& picture : rows.pictures) {
            icicles.push_back(build_icicle(picture, rows.entries));
            icicles.back().allocations = rows.allocations;
        }
    }
    return icicles;
}

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

}  // namespace snapviewer::stacks
