#include "core/analysis/stacks/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/modules.h"
#include "core/timeline/totals.h"

namespace snapviewer::stacks {
namespace {

constexpr std::array<const char*, 5> k_frames_names = {"all", "filtered", "python", "own", "modules"};
constexpr std::size_t k_stacks_between_stop_checks = 256;
/// Estimated memory of a node without its text, in bytes, in this tree and in the outputs that are made from it.
constexpr std::uint64_t k_node_bytes = 256;

/// Path keys of allocations without a stack. Stack numbers never get this large.
constexpr std::uint32_t k_before_recording_key = k_before_recording.value;
constexpr std::uint32_t k_no_stack = StackId::none().value;

const char* path_key_text(std::uint32_t path_key) {
    return path_key == k_before_recording_key ? "(allocated before the recording)" : "(no stack)";
}

struct Sum {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};

/// Builds the tree path by path. Nodes keep the order in which they are added.
class TreeGrower {
public:
    TreeGrower(const Snapshot& snapshot, const StackLines& lines, const PathChoice& choice)
        : snapshot_(snapshot), lines_(lines), choice_(choice) {
        const auto& around = choice.around;
        tree_.nodes.push_back({0, 0, number_of(around ? around->file + ":0:" + around->name : "all"), 0, 0, 0});
    }

    void add_stack(StackId stack, const Sum& sum) {
        const std::span<const FrameId> all = snapshot_.stacks.stack(stack);
        const auto any = [&](TreeFrames frames) {
            return std::ranges::any_of(all, [&](FrameId id) { return is_wanted(id, frames); });
        };
        // A filter that would remove every frame of the stack is replaced by a weaker filter.
        TreeFrames kept = choice_.frames;
        const auto is_launchers_alone = [&] {
            return std::ranges::all_of(all, [&](FrameId id) { return !lines_.is_python(id) || lines_.is_launcher(id); });
        };
        if (kept == TreeFrames::python ? is_launchers_alone() : !any(kept)) kept = TreeFrames::filtered;
        if (!any(kept)) kept = TreeFrames::all;
        path_.clear();
        std::optional<std::size_t> call;
        for (std::size_t i = all.size(); i-- > 0;) {
            const bool is_call = choice_.around && is_of(all[i], *choice_.around);
            if (is_call && !call) call = path_.size();
            const bool is_launcher = kept == TreeFrames::python && path_.empty() && lines_.is_launcher(all[i]);
            if (is_call || (is_wanted(all[i], kept) && !is_launcher)) path_.push_back(text_of(all[i]));
        }
        if (choice_.around && !call) return;
        if (call) cut_at(*call);
        if (choice_.order == CallOrder::callees_first) std::ranges::reverse(path_);
        if (path_.size() > limits::k_max_path_frames) cut_path(limits::k_max_path_frames, sum);
        add_path(sum, stack.value);
    }

    void add_module(const Modules& modules, std::uint32_t module, const Sum& sum) {
        path_.clear();
        if (module == k_no_module) path_.push_back(number_of("(no module)"));
        if (module == 0) path_.push_back(number_of("(the model itself)"));
        for (std::uint32_t at = module; at != k_no_module && at != 0; at = modules.nodes[at].parent)
            path_.push_back(number_of(modules.short_name(at)));
        std::ranges::reverse(path_);
        add_path(sum, module);
    }

    void add_word(std::uint32_t path_key, const Sum& sum) {
        if (choice_.around) return;
        path_.assign(1, number_of(path_key_text(path_key)));
        add_path(sum, path_key);
    }

    CallTree finish() {
        sort();
        return std::move(tree_);
    }

private:
    bool is_wanted(FrameId id, TreeFrames frames) const {
        switch (frames) {
            case TreeFrames::filtered: return !lines_.is_hidden(id);
            case TreeFrames::python: return lines_.is_python(id);
            case TreeFrames::own: return lines_.is_own(id);
            case TreeFrames::modules:
            case TreeFrames::all: break;
        }
        return true;
    }

    /// Returns the frame as the tree shows it. A tree of the program's own lines shows generated code as the source line
    /// from which it was generated.
    Frame shown(FrameId id) const {
        const Frame& frame = snapshot_.stacks.frame(id);
        return choice_.frames == TreeFrames::own ? naming_frame(frame) : frame;
    }

    bool is_of(FrameId id, const CallFunction& function) const {
        const Frame frame = shown(id);
        return snapshot_.strings.view(frame.function) == function.name &&
               snapshot_.strings.view(frame.file) == function.file;
    }

    /// Removes the frame at index `call` of the path, and the frames on one side of it: keeps the frames that were called
    /// from there (callers_first), or its callers (callees_first).
    void cut_at(std::size_t call) {
        const auto at = path_.begin() + static_cast<std::ptrdiff_t>(call);
        if (choice_.order == CallOrder::callers_first)
            path_.erase(path_.begin(), at + 1);
        else
            path_.erase(at, path_.end());
    }

    void cut_path(std::size_t length, const Sum& sum) {
        const std::uint32_t words = number_of(more_frames(path_.size() - length));
        path_.resize(length);
        path_.push_back(words);
        tree_.cut_count += sum.count;
    }

    /// The index of a text in CallTree::texts; adds the text if it is new.
    std::uint32_t number_of(std::string text) {
        const auto text_of = [this](std::uint32_t number) { return std::string_view(tree_.texts[number]); };
        const std::uint32_t number = texts_.find_or_add(std::string_view(text), text_of, tree_.texts.size());
        if (number == tree_.texts.size()) tree_.texts.push_back(std::move(text));
        return number;
    }

    std::uint32_t text_of(FrameId id) {
        const auto [known, is_new] = text_of_frame_.try_emplace(id.value, 0);
        if (is_new) known->second = number_of(frame_text(snapshot_.strings, shown(id)));
        return known->second;
    }

    void add_path(const Sum& sum, std::uint32_t path_key) {
        std::uint32_t at = 0;
        const auto add = [&] {
            tree_.nodes[at].inclusive_bytes += sum.bytes;
            tree_.nodes[at].count += sum.count;
        };
        add();
        for (std::size_t i = 0; i < path_.size(); ++i) {
            auto known = children_.find(edge(at, path_[i]));
            if (known == children_.end()) {
                // The last frame is always added, even beyond the limit: in a shortened path it says how many frames are
                // missing.
                const bool is_last = i + 1 == path_.size();
                held_bytes_ += k_node_bytes + 2 * tree_.texts[path_[i]].size();
                if (held_bytes_ > limits::max_held_bytes(snapshot_.read_bytes) && !is_last) cut_path(i, sum);
                known = children_.try_emplace(edge(at, path_[i]), static_cast<std::uint32_t>(tree_.nodes.size())).first;
                if (known->second == tree_.nodes.size())
                    tree_.nodes.push_back({at, tree_.nodes[at].depth + 1, path_[i], 0, 0, 0});
            }
            at = known->second;
            add();
        }
        tree_.nodes[at].exclusive_bytes += sum.bytes;
        tree_.ends[path_key] = at;
    }

    static std::uint64_t edge(std::uint32_t parent, std::uint32_t text) { return std::uint64_t{parent} << 32 | text; }

    /// Sorts the nodes depth-first. Siblings with more bytes come first, then by text.
    void sort() {
        std::vector<std::vector<std::uint32_t>> children(tree_.nodes.size());
        for (std::uint32_t i = 1; i < tree_.nodes.size(); ++i) children[tree_.nodes[i].parent].push_back(i);
        struct Waiting {
            std::uint32_t node;
            std::uint32_t parent;  ///< Index of the parent in the sorted tree
        };
        std::vector<CallTree::Node> sorted;
        sorted.reserve(tree_.nodes.size());
        std::vector<std::uint32_t> places(tree_.nodes.size());
        std::vector<Waiting> waiting = {{0, 0}};
        while (!waiting.empty()) {
            const Waiting next = waiting.back();
            waiting.pop_back();
            const auto place = static_cast<std::uint32_t>(sorted.size());
            places[next.node] = place;
            sorted.push_back(tree_.nodes[next.node]);
            sorted.back().parent = next.parent;
            std::vector<std::uint32_t>& below = children[next.node];
            std::ranges::sort(below, [this](std::uint32_t a, std::uint32_t b) { return sorts_last(a, b); });
            for (const std::uint32_t child : below) waiting.push_back({child, place});
        }
        tree_.nodes = std::move(sorted);
        for (auto& [key, node] : tree_.ends) node = places[node];
    }

    bool sorts_last(std::uint32_t a, std::uint32_t b) const {
        const CallTree::Node& one = tree_.nodes[a];
        const CallTree::Node& other = tree_.nodes[b];
        if (one.inclusive_bytes != other.inclusive_bytes) return one.inclusive_bytes < other.inclusive_bytes;
        return tree_.text(one) > tree_.text(other);
    }

    const Snapshot& snapshot_;
    const StackLines& lines_;
    const PathChoice& choice_;
    CallTree tree_;
    /// Estimated bytes of the nodes, and of flame graphs that repeat their texts.
    std::uint64_t held_bytes_ = 0;
    HashIndex texts_;
    std::unordered_map<std::uint32_t, std::uint32_t> text_of_frame_;
    /// Maps the pair of a parent and a text to the child node.
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> children_;
    std::vector<std::uint32_t> path_;
};

/// Sums the allocations by path key. Large sums come first, so that only small paths are shortened when the tree reaches its
/// size limit.
std::vector<std::pair<std::uint32_t, Sum>> sums_by_key(const Timeline& timeline, const CallTree& tree,
                                                       std::span<const AllocationId> allocations) {
    const DeviceTrace& trace = timeline.trace();
    std::unordered_map<std::uint32_t, Sum> by_key;
    for (const AllocationId id : allocations) {
        Sum& sum = by_key[tree.key_of(trace, id)];
        sum.bytes += trace.allocations.size_bytes[id.value];
        ++sum.count;
    }
    std::vector<std::pair<std::uint32_t, Sum>> largest_first(by_key.begin(), by_key.end());
    std::ranges::sort(largest_first, [](const auto& a, const auto& b) {
        return std::pair(b.second.bytes, a.first) < std::pair(a.second.bytes, b.first);
    });
    return largest_first;
}

/// Appends a frame to folded stacks, and replaces the characters that separate frames and lines.
void add_folded(std::string_view frame, std::string& folded) {
    for (const char c : frame) {
        switch (c) {
            case ';': folded += ','; break;
            case '\n': folded += "\\n"; break;
            case '\r': folded += "\\r"; break;
            default: folded += c;
        }
    }
}

}  // namespace

std::vector<std::string> tree_frames_names() { return {k_frames_names.begin(), k_frames_names.end()}; }

std::optional<TreeFrames> tree_frames_named(std::string_view name) {
    const auto found = std::ranges::find(k_frames_names, name);
    if (found == k_frames_names.end()) return std::nullopt;
    return static_cast<TreeFrames>(found - k_frames_names.begin());
}

std::uint32_t CallTree::key_of(const DeviceTrace& trace, AllocationId id) const {
    if (!is_module_tree) return making_stack(trace.allocations, id).value;
    return module_of.empty() ? k_no_module : module_of[id.value];
}

CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::span<const AllocationId> allocations,
                        const PathChoice& paths) {
    CallTree keys;
    keys.is_module_tree = paths.frames == TreeFrames::modules;
    const PathChoice choice = keys.is_module_tree ? PathChoice{.frames = TreeFrames::modules} : paths;
    const Modules modules = keys.is_module_tree ? find_modules(timeline.snapshot(), timeline.trace()) : Modules();
    for (const ModuleOfAllocation& of : modules.of) keys.module_of.push_back(of.module);
    TreeGrower grower(timeline.snapshot(), lines, choice);
    std::size_t done = 0;
    for (const auto& [key, sum] : sums_by_key(timeline, keys, allocations)) {
        if (done++ % k_stacks_between_stop_checks == 0) check_stop();
        if (keys.is_module_tree)
            grower.add_module(modules, key, sum);
        else if (key < k_before_recording_key)
            grower.add_stack(StackId{key}, sum);
        else
            grower.add_word(key, sum);
    }
    CallTree tree = grower.finish();
    tree.module_of = std::move(keys.module_of);
    tree.is_module_tree = keys.is_module_tree;
    return tree;
}

CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::uint32_t tick, TreeFrames frames) {
    return make_call_tree(timeline, lines, timeline.live_after_tick(tick), {.frames = frames});
}

std::string folded_stacks(const CallTree& tree) {
    struct FoldedPath {
        std::vector<std::uint32_t>
            nodes;  ///< Indexes of the path's nodes from the outermost frame inwards, without the root
        std::uint64_t bytes = 0;
    };
    std::vector<bool> is_end(tree.nodes.size());
    for (const auto& [key, node] : tree.ends) is_end[node] = node != 0;
    std::vector<FoldedPath> paths;
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        open.resize(tree.nodes[i].depth);
        open.push_back(i);
        if (is_end[i]) paths.push_back({{open.begin() + 1, open.end()}, tree.nodes[i].exclusive_bytes});
    }
    const auto text = [&tree](std::uint32_t node) -> const std::string& { return tree.text(tree.nodes[node]); };
    std::ranges::sort(paths, [&text](const FoldedPath& a, const FoldedPath& b) {
        if (a.bytes != b.bytes) return a.bytes > b.bytes;
        return std::ranges::lexicographical_compare(a.nodes, b.nodes, {}, text, text);
    });
    std::string folded;
    for (const FoldedPath& path : paths) {
        if (folded.size() > limits::k_base_written_bytes) {
            std::uint64_t bytes = 0;
            const std::span<const FoldedPath> rest(&path, &paths.back() + 1);
            for (const FoldedPath& each : rest) bytes += each.bytes;
            return folded + fmt::format("\u2026 {} more paths {}\n", format_count(rest.size()), bytes);
        }
        for (const std::uint32_t node : path.nodes) {
            if (node != path.nodes.front()) folded += ';';
            add_folded(text(node), folded);
        }
        folded += ' ' + std::to_string(path.bytes) + '\n';
    }
    return folded;
}

}  // namespace snapviewer::stacks
