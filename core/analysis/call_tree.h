#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The frames that a call tree contains. If `python` or `own` would leave none of a stack, its shown frames are used.
/// `modules` has no frames, but the modules that the program named.
enum class TreeFrames : std::uint8_t {
    all,
    filtered,  ///< without those that PyTorch's viewer hides
    python,    ///< without C++, and without the launchers at the outer end of a stack, see is_launcher_path()
    own,       ///< the program's own alone
    modules,
};

std::vector<std::string> tree_frames_names();  ///< "all", "filtered", "python", "own", "modules"; in the order of TreeFrames
std::optional<TreeFrames> tree_frames_named(std::string_view name);

/// The end of a stack that is next to the root.
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

/// The parts of a stack that make a path of the tree.
struct PathChoice {
    TreeFrames frames = TreeFrames::filtered;
    CallOrder order = CallOrder::callers_first;
    /// If set, only stacks that call this function count, cut at its outermost call: callers_first keeps the functions that
    /// it called, callees_first its callers, the direct caller first. The function is the root, and its frames are never
    /// filtered out.
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
    /// Number of allocations whose path was cut. A path is cut if it is deeper than limits::k_most_path_frames, or if the
    /// paths together are larger than an answer may be. The last node of a cut path says how many frames are missing.
    std::uint64_t cut_count = 0;
    /// The node at which the path of an allocation ends, by key_of(). Has no entry for paths that do not call the function.
    std::unordered_map<std::uint32_t, std::uint32_t> ends;
    std::vector<std::uint32_t> module_of;  ///< by allocation; only of a tree of modules, where the file names some
    bool is_of_modules = false;

    /// The key of an allocation's path: its stack, or the reason why it has none.
    static std::uint32_t path_key(const DeviceTrace& trace, AllocationId id);
    /// The key in this tree; in a tree of modules, the allocation's module.
    std::uint32_t key_of(const DeviceTrace& trace, AllocationId id) const;

    const std::string& text(const Node& node) const { return texts[node.text]; }
};

/// The tree of some allocations of the timeline. Throws a Failure only when stopped. O(allocations + frames of their
/// distinct stacks). Of modules, the order and the function of `paths` mean nothing.
CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::span<const AllocationId> allocations,
                        const PathChoice& paths);
/// The tree of the allocations that are live after a tick, from the outermost frame down.
CallTree make_call_tree(const Timeline& timeline, const StackLines& lines, std::uint32_t tick, TreeFrames frames);

/// The format of flame graph tools: "a;b;c bytes" for each distinct path, sorted by bytes, descending, and by path. Within a
/// frame a ';' becomes a ',', and line breaks become "\n" and "\r". If the text exceeds limits::k_free_written_bytes, the
/// last line sums up all remaining paths.
std::string folded_stacks(const CallTree& tree);

}  // namespace snapviewer
