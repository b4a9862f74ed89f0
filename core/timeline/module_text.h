#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What a program's own text says about a piece of memory, as `sv.annotate` and PyTorch's component tracking write it.
namespace snapviewer {

/// What of a module a piece of memory is.
enum class ModuleRole : std::uint8_t {
    parameter,
    gradient,
    buffer,
    optimizer,  ///< what the optimizer keeps, or allocated
    other,      ///< activations and everything else: nobody said what it is
};
inline constexpr std::size_t k_module_roles = 5;
const char* module_role_name(ModuleRole role);  ///< "parameter", "optimizer"

/// A text that was understood. The views are parts of it.
struct ModuleText {
    ModuleRole role = ModuleRole::other;
    bool has_module = true;               ///< false: it says what the memory is, not of which module
    std::vector<std::string_view> names;  ///< "layers", "31", "mlp"; none of them for the model itself
};

inline constexpr std::size_t k_deepest_module = 64;         ///< names; a path of more is none
inline constexpr std::size_t k_longest_module_path = 1024;  ///< bytes; likewise

/// A path is names joined by dots; a name is letters of ASCII, digits and `_`, and does not begin with a digit unless it is
/// a number. Two forms are understood, everything else is not:
///
///     ROLE: PATH    with a role `parameter`, `gradient`, `buffer` or `optimizer`. The last name is the tensor's, of the
///                   optimizer's the last two are those of tensor and state. `optimizer: group 1, parameter 2.exp_avg` tells
///                   the role alone.
///     PATH          of a module, not numbers alone. One name is a module only if `has_single_names`; `optimizer` always is
///                   the optimizer.
///
/// Names that wrappers add are left out: `_fsdp_wrapped_module`, `_orig_mod` and `_checkpoint_wrapped_module` anywhere,
/// `module` at the beginning. O(length).
std::optional<ModuleText> read_module_text(std::string_view text, bool has_single_names);

/// Whether a text is the path of a module within another one: who writes such texts stamps modules, so that single names
/// are modules as well.
bool is_dotted_module_path(std::string_view text);

}  // namespace snapviewer
