#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

inline constexpr std::size_t k_deepest_module = 64;         ///< maximum number of names; a longer path is not parsed
inline constexpr std::size_t k_longest_module_path = 1024;  ///< maximum bytes of a path; a longer path is not parsed

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

}  // namespace snapviewer
