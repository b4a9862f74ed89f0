#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/timeline.h"

/// Parses texts that a program attached to its memory, in the formats of `sv.annotate` and of PyTorch's component tracking.
namespace snapviewer {

/// The role that a piece of memory has in a module.
enum class ModuleRole : std::uint8_t {
    parameter,
    gradient,
    buffer,
    optimizer,  ///< state of the optimizer, or memory that the optimizer allocated
    other,      ///< activations and everything without a known role
};
inline constexpr std::size_t k_module_roles = 5;
const char* module_role_name(ModuleRole role);  ///< name of a role in texts: "parameter", "optimizer", ...

/// The result of parsing a text. The views point into the text.
struct ModuleText {
    ModuleRole role = ModuleRole::other;
    bool has_module = true;               ///< false if the text contains only the role
    std::vector<std::string_view> names;  ///< names from the outermost module inwards, such as "layers", "31", "mlp"; empty
                                          ///< for the model itself
};

inline constexpr std::size_t k_max_module_depth = 64;   ///< maximum number of names; a longer path is not parsed
inline constexpr std::size_t k_max_module_path = 1024;  ///< maximum bytes of a path; a longer path is not parsed

/// Parses a text, or returns nullopt if it has neither of the two forms below. A path is names joined by dots. A name
/// consists of ASCII letters, digits and `_`, and does not begin with a digit unless it is a number.
///
///     ROLE: PATH    ROLE is `parameter`, `gradient`, `buffer` or `optimizer`. The last name is the tensor's; for an
///                   optimizer, the last two names are the tensor's and the state's. A text such as
///                   `optimizer: group 1, parameter 2.exp_avg` contains the role alone.
///     PATH          The path of a module, which must not consist of numbers alone. A single name is a module only if
///                   `has_single_names`. The single name `optimizer` is always the optimizer.
///
/// Removes names that wrappers add: `_fsdp_wrapped_module`, `_orig_mod` and `_checkpoint_wrapped_module` anywhere, and
/// `module` at the beginning. O(length).
std::optional<ModuleText> read_module_text(std::string_view text, bool has_single_names);

/// True if a text is the path of a module within another module. A program that writes such texts labels its memory with
/// modules, so its texts of a single name are modules as well.
bool is_dotted_module_path(std::string_view text);

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

inline constexpr std::size_t k_max_informative_modules = 128;

/// The depth that is best for showing modules of a single level. It is the smallest depth at which no module holds more than
/// a quarter of the memory of all modules. If there is none, it is the smallest depth with the smallest largest module,
/// among depths with at most k_max_informative_modules modules. At least 1. O(depths * modules).
std::uint32_t informative_depth(const Modules& modules, const ModuleTotals& totals);

}  // namespace snapviewer
