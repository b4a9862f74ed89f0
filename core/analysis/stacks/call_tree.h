#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::stacks {

/// The frames that a call tree contains. A stack of which `python` or `own` would keep no frame is shown as with `filtered`.
/// `modules` contains no frames, but the modules that the program named.
enum class TreeFrames : std::uint8_t {
    all,
    filtered,  ///< All frames except those that PyTorch's memory viewer hides
    /// Frames of Python functions, without the launchers at the outer end of a stack, see is_launcher_path().
    python,
    own,  ///< Frames of the program's own code
    modules,
};

/// Returns "all", "filtered", "python", "own" and "modules", in the order of TreeFrames.
std::vector<std::string> tree_frames_names();
std::optional<TreeFrames> tree_frames_named(std::string_view name);

/// The end of a stack that becomes the child of the tree's root.
enum class CallOrder : std::uint8_t {
    callers_first,  ///< The outermost frame: the tree leads from the start of the program to the allocations
    callees_first,  ///< The innermost frame: the tree leads from the allocating function to its callers
};

/// A function, independent of the line that a frame names.
struct CallFunction {
    std::string file;  ///< Path as recorded
    std::string name;
    bool operator==(const CallFunction&) const = default;
};

/// Options that select which part of each stack becomes a path of the tree.
struct PathChoice {
    TreeFrames frames = TreeFrames::filtered;
    CallOrder order = CallOrder::callers_first;
    /// If set, only stacks that call this function count, cut at its outermost call: `callers_first` keeps the functions
    /// that it called, `callees_first` keeps its callers, beginning with the direct caller. The function becomes the root,
    /// and its frames are never filtered out.
    std::optional<CallFunction> around = {};
    bool operator==(const PathChoice&) const = default;
};

/// Allocations summed by call path. Immutable. Owns all its data.
struct CallTree {
    struct Node {
        std::uint32_t parent = 0;  ///< Index of the parent in `nodes`; the root is its own parent
        std::uint32_t depth = 0;
        std::uint32_t text = 0;             ///< Index into `texts`
        std::uint64_t inclusive_bytes = 0;  ///< Requested bytes of the allocations below and at this node
        std::uint64_t exclusive_bytes = 0;  ///< Requested bytes of the allocations whose path ends at this node
        std::uint64_t count = 0;            ///< Number of allocations below and at this node
    };
    /// Nodes in depth-first order; children with more bytes come first, then by text. The first node is the root, whose text
    /// is "all" or names the function of PathChoice::around.
    std::vector<Node> nodes;
    /// Texts of nodes: "file:line:function". The line is 0 if the function of PathChoice::around is the root.
    std::vector<std::string> texts;
    /// Number of allocations whose path was shortened. A path is shortened if it is deeper than limits::k_max_path_frames,
    /// or if all paths together exceed the size limit of an answer. The last node of a shortened path says how many frames
    /// are missing.
    std::uint64_t cut_count = 0;
    /// Maps the key of an allocation, see key_of(), to the node at which its path ends. Paths that do not call the function
    /// of PathChoice::around are missing.
    std::unordered_map<std::uint32_t, std::uint32_t> ends;
    /// Module of each allocation. Empty unless this is a tree of modules and the file names modules.
    std::vector<std::uint32_t> module_of;
    bool is_module_tree = false;

    /// Returns the key of an allocation in `ends`: its module in a tree of modules, otherwise its stack, or the reason why
    /// it has no stack.
    std::uint32_t key_of(const DeviceTrace& trace, AllocationId id) const;

    const std::string& text(const Node& node) const { return texts[node.text]; }
};

/// Builds the tree of some allocations of the timeline. Throws a Failure only when stopped. O(allocations + frames of their
/// distinct stacks). A tree of modules ignores `paths.order` and `paths.around`.
CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::span<const AllocationId> allocations,
                        const PathChoice& paths);
/// Builds the tree of the allocations that are live after a tick, with the outermost frames next to the root.
CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::uint32_t tick, TreeFrames frames);

/// Returns the tree in the text format of flame graph tools: a line "a;b;c bytes" for each distinct path, sorted by
/// descending bytes, then by path. Within a frame, ';' becomes ',' and line breaks become "\n" and "\r". If the text exceeds
/// limits::k_base_written_bytes, the last line is the sum of all remaining paths.
std::string folded_stacks(const CallTree& tree);

}  // namespace snapviewer::stacks
