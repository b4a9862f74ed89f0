#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/module_text.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

inline constexpr std::uint32_t k_no_module = std::numeric_limits<std::uint32_t>::max();

/// What told of which module an allocation is, or what it is.
enum class ModuleEvidence : std::uint8_t {
    none,
    annotation,  ///< said later about this very allocation (`_annotate_tensor`)
    metadata,    ///< what the thread had set when it allocated (`_set_memory_metadata`)
};

/// What is known of one allocation.
struct ModuleOfAllocation {
    std::uint32_t module = k_no_module;  ///< into Modules::nodes
    ModuleRole role = ModuleRole::other;
    ModuleEvidence evidence = ModuleEvidence::none;
};

/// One module of the tree.
struct ModuleNode {
    std::string_view name;               ///< "mlp"; of the snapshot's texts
    std::uint32_t parent = k_no_module;  ///< none for the first
    std::uint32_t depth = 0;             ///< names in its path
    std::uint32_t end = 0;               ///< it and all below it are [its own number, end)
};

/// The modules of a device, as far as the program told them. Immutable; the snapshot outlives this.
struct Modules {
    /// Depth first, siblings as people sort names, layers.2 before layers.10. The first is the model itself. Empty where
    /// nothing is told.
    std::vector<ModuleNode> nodes;
    std::vector<ModuleOfAllocation> of;  ///< by allocation; empty where the file says nothing of any

    bool empty() const { return of.empty(); }
    std::string path(std::uint32_t node) const;        ///< "layers.31.mlp"; "" for the model itself
    std::string short_name(std::uint32_t node) const;  ///< "mlp"; a number with what it counts, "layers.31"
    /// The part of it that is in at most so many names: of layers.31.mlp within 2 it is layers.31. O(depth).
    std::uint32_t within(std::uint32_t node, std::uint32_t depth) const;
};

/// Annotations of an allocation count before its metadata. Where several are understood, it belongs to the module that all
/// of theirs lie in, and has the role that those agree on which say one. Metadata counts where the alloc was recorded: at a
/// free it is that of who freed. Of more than 262,144 modules the deeper ones count with what they are in. Fails only when
/// stopped. O(texts + allocations), nearly nothing where the file has no texts.
Modules find_modules(const Snapshot& snapshot, const DeviceTrace& trace);

/// Bytes as requested, by role.
struct ModuleBytes {
    std::array<std::uint64_t, k_module_roles> by_role = {};
    std::uint64_t count = 0;  ///< of allocations

    std::uint64_t total() const;
    void add(const ModuleBytes& other);
};

/// What modules hold at one moment.
struct ModuleTotals {
    std::vector<ModuleBytes> own;  ///< parallel to Modules::nodes: of each without those below it
    std::vector<ModuleBytes> all;  ///< the same with them, so that the first has all that is told
    ModuleBytes without;           ///< of no module
};

/// Of what is alive once a tick's change is made. O(live + modules).
ModuleTotals module_totals(const Timeline& timeline, const Modules& modules, std::uint32_t tick);

inline constexpr std::size_t k_most_telling_modules = 128;

/// How many names deep modules are told apart where there is room for one level alone: the fewest at which none holds more
/// than a quarter of what modules hold together; else, of those with at most k_most_telling_modules modules, the fewest at
/// which the largest holds least. At least 1. O(depths * modules).
std::uint32_t telling_depth(const Modules& modules, const ModuleTotals& totals);

}  // namespace snapviewer
