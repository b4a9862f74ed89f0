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

/// The source from which the module or the role of an allocation is known.
enum class ModuleEvidence : std::uint8_t {
    none,
    annotation,  ///< an annotation of this allocation (`_annotate_tensor`)
    metadata,    ///< the metadata of the thread that allocated it (`_set_memory_metadata`)
};

/// The module and role of one allocation.
struct ModuleOfAllocation {
    std::uint32_t module = k_no_module;  ///< index into Modules::nodes, or k_no_module
    ModuleRole role = ModuleRole::other;
    ModuleEvidence evidence = ModuleEvidence::none;
};

/// One module of the tree.
struct ModuleNode {
    std::string_view name;               ///< last name of the path, such as "mlp"; points into the snapshot's strings
    std::uint32_t parent = k_no_module;  ///< index of the parent; k_no_module for the model itself
    std::uint32_t depth = 0;             ///< number of names in the module's path
    std::uint32_t end = 0;               ///< the module and its descendants have the indices [own index, end)
};

/// The modules of a device, as far as the program recorded them. Immutable. The snapshot must outlive this object, because
/// names point into it.
struct Modules {
    /// Depth first, with siblings in natural order: layers.2 before layers.10. The first node is the model itself. Empty if
    /// no allocation has a known module or role.
    std::vector<ModuleNode> nodes;
    std::vector<ModuleOfAllocation> of;  ///< by allocation; empty if no allocation has a known module or role

    bool empty() const { return of.empty(); }
    std::string path(std::uint32_t node) const;        ///< full path such as "layers.31.mlp"; "" for the model itself
    std::string short_name(std::uint32_t node) const;  ///< last name such as "mlp"; a number is shown with its parent:
                                                       ///< "layers.31"
    /// The node or its ancestor at `depth`: for layers.31.mlp within 2 it is layers.31. O(depth).
    std::uint32_t within(std::uint32_t node, std::uint32_t depth) const;
};

/// Finds the modules and roles of all allocations of a device.
///
/// Annotations of an allocation take precedence over its metadata. If several annotations are parsed, the allocation belongs
/// to their innermost common module. It has the role on which all annotations with a role agree. Metadata counts only if the
/// alloc was recorded, because the metadata of a free is that of the thread that freed. If there are more than 262,144
/// modules, allocations of deeper ones count for an ancestor. Throws stopped(). O(texts + allocations); almost no time if
/// the file has no texts.
Modules find_modules(const Snapshot& snapshot, const DeviceTrace& trace);

/// Requested bytes of some allocations, by role.
struct ModuleBytes {
    std::array<std::uint64_t, k_module_roles> by_role = {};
    std::uint64_t count = 0;  ///< number of allocations in the sum

    std::uint64_t total() const;
    void add(const ModuleBytes& other);
};

/// The memory of each module at one moment.
struct ModuleTotals {
    std::vector<ModuleBytes> own;  ///< parallel to Modules::nodes: each module without its descendants
    std::vector<ModuleBytes> all;  ///< parallel to Modules::nodes: each module with its descendants; the first is the sum
                                   ///< over all modules
    ModuleBytes without;           ///< allocations without a module
};

/// The memory of each module after a tick. O(live + modules).
ModuleTotals module_totals(const Timeline& timeline, const Modules& modules, std::uint32_t tick);

inline constexpr std::size_t k_most_telling_modules = 128;

/// The depth that is best for showing modules of a single level. It is the smallest depth at which no module holds more than
/// a quarter of the memory of all modules. If there is none, it is the smallest depth with the smallest largest module,
/// among depths with at most k_most_telling_modules modules. At least 1. O(depths * modules).
std::uint32_t telling_depth(const Modules& modules, const ModuleTotals& totals);

}  // namespace snapviewer
