#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// Which frames of a stack a call tree has. A stack that `python` or `own` would leave without any has its shown frames.
/// `modules` has none of them, but the modules that the program named.
enum class TreeFrames : std::uint8_t {
    all,
    filtered,  ///< without those that PyTorch's viewer hides
    python,    ///< without C++, and without the launchers at the outer end of a stack, see is_launcher_path()
    own,       ///< the program's own alone
    modules,
};

std::vector<std::string> tree_frames_names();  ///< "all", "filtered", "python", "own", "modules"; in the order of TreeFrames
std::optional<TreeFrames> tree_frames_named(std::string_view name);

/// Which end of a stack is next to the root.
enum class CallOrder : std::uint8_t {
    callers_first,  ///< the outermost frame: where memory goes, from the program's start down
    callees_first,  ///< the innermost frame: who allocates, and below it who called that
};

/// A function, whichever of its lines a frame names.
struct CallFunction {
    std::string file;  ///< as recorded
    std::string name;
    bool operator==(const CallFunction&) const = default;
};

/// What of a stack makes a path of the tree.
struct PathChoice {
    TreeFrames frames = TreeFrames::filtered;
    CallOrder order = CallOrder::callers_first;
    /// Only stacks in which it is called, cut at its outermost call: with callers_first what it called is left, with
    /// callees_first who called it, the direct caller first. It is the root, and its frames count in any case.
    std::optional<CallFunction> around = {};
    bool operator==(const PathChoice&) const = default;
};

/// Allocations by call path. Immutable; keeps no reference.
struct CallTree {
    struct Node {
        std::uint32_t parent = 0;  ///< of the root: itself
        std::uint32_t depth = 0;
        std::uint32_t text = 0;             ///< into texts
        std::uint64_t inclusive_bytes = 0;  ///< as requested
        std::uint64_t exclusive_bytes = 0;  ///< of what the frame allocated itself
        std::uint64_t count = 0;            ///< allocations, inclusive
    };
    std::vector<Node> nodes;  ///< depth first, larger first, then by text; the first is the root, "all" or the function
    std::vector<std::string> texts;  ///< file:line:function; of the function that is the root with line 0
    /// Allocations whose path is cut, at a node that tells how many frames are left out: it is deeper than
    /// limits::k_most_path_frames, or the paths together are more than an answer may hold.
    std::uint64_t cut_count = 0;
    /// The node at which the path of an allocation ends, by key_of(). None where it does not call the function.
    std::unordered_map<std::uint32_t, std::uint32_t> ends;
    std::vector<std::uint32_t> module_of;  ///< by allocation; only of a tree of modules, where the file names some
    bool is_of_modules = false;

    /// What allocations of one path have in common: their stack, or why they have none.
    static std::uint32_t path_key(const DeviceTrace& trace, AllocationId id);
    /// The same in this tree: their module in one of modules.
    std::uint32_t key_of(const DeviceTrace& trace, AllocationId id) const;

    const std::string& text(const Node& node) const { return texts[node.text]; }
};

/// The tree of some allocations of the timeline. Fails only when stopped. O(allocations + frames of their distinct stacks).
/// Of modules, the order and the function of `paths` mean nothing.
Result<CallTree> make_call_tree(const Timeline& timeline, const StackLines& lines, std::span<const AllocationId> allocations,
                                const PathChoice& paths, const Progress* progress = nullptr);
/// The tree of what is live after a tick, from the outermost frame down.
Result<CallTree> make_call_tree(const Timeline& timeline, const StackLines& lines, std::uint32_t tick, TreeFrames frames,
                                const Progress* progress = nullptr);

/// As flame graph tools read it: "a;b;c bytes" for each distinct path, most bytes first, then by path. Within a frame a ';'
/// becomes a ',', and line breaks become "\n" and "\r". Beyond limits::k_free_written_bytes the last line stands for all
/// paths that are left.
std::string folded_stacks(const CallTree& tree);

}  // namespace snapviewer
