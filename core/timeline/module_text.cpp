#include "core/timeline/module_text.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::array<const char*, k_module_roles> k_role_names = {"parameter", "gradient", "buffer", "optimizer", "other"};
constexpr std::string_view k_wrapped_by_ddp = "module";
constexpr std::array<std::string_view, 3> k_wrappers = {"_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module"};

bool is_number(std::string_view name) { return !name.empty() && std::ranges::all_of(name, is_digit); }

bool is_identifier(std::string_view name) {
    const auto is_of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_of_name);
}

/// Splits a path into its names; nullopt if the text is not a path.
std::optional<std::vector<std::string_view>> names_of_path(std::string_view text) {
    if (text.size() > k_longest_module_path) return std::nullopt;
    std::vector<std::string_view> names;
    while (names.size() < k_deepest_module) {
        const std::string_view name = text.substr(0, text.find('.'));
        if (!is_identifier(name) && !is_number(name)) return std::nullopt;
        names.push_back(name);
        if (name.size() == text.size()) return names;
        text.remove_prefix(name.size() + 1);
    }
    return std::nullopt;
}

void leave_out_wrappers(std::vector<std::string_view>& names) {
    std::erase_if(names, [](std::string_view name) { return std::ranges::find(k_wrappers, name) != k_wrappers.end(); });
    names.erase(names.begin(), std::ranges::find_if(names, [](std::string_view name) { return name != k_wrapped_by_ddp; }));
}

/// Removes `word` from the beginning of the text. Returns false if the text does not begin with it.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

bool take_number(std::string_view& text) {
    const std::string_view digits = digits_at(text, 0);
    text.remove_prefix(digits.size());
    return !digits.empty();
}

/// True for a text such as "group 1, parameter 2.exp_avg", which `sv.annotate` writes for the optimizer state of a parameter
/// that belongs to no module of the model.
bool is_state_without_module(std::string_view text) {
    return take(text, "group ") && take_number(text) && take(text, ", parameter ") && take_number(text) && take(text, ".") &&
           is_identifier(text);
}

std::optional<ModuleText> read_tensor_text(ModuleRole role, std::string_view path) {
    if (role == ModuleRole::optimizer && is_state_without_module(path)) return ModuleText{role, false, {}};
    const std::size_t own_names = role == ModuleRole::optimizer ? 2 : 1;  // names of the tensor and its state
    auto names = names_of_path(path);
    if (!names || names->size() < own_names) return std::nullopt;
    names->resize(names->size() - own_names);
    leave_out_wrappers(*names);
    return ModuleText{role, true, std::move(*names)};
}

bool is_module_path(const std::vector<std::string_view>& names) { return !std::ranges::all_of(names, is_number); }

}  // namespace

const char* module_role_name(ModuleRole role) { return k_role_names[static_cast<std::size_t>(role)]; }

std::optional<ModuleText> read_module_text(std::string_view text, bool has_single_names) {
    for (std::size_t i = 0; i < k_module_roles; ++i) {
        const auto role = static_cast<ModuleRole>(i);
        std::string_view path = text;
        if (role != ModuleRole::other && take(path, module_role_name(role)) && take(path, ": "))
            return read_tensor_text(role, path);
    }
    auto names = names_of_path(text);
    if (!names || !is_module_path(*names)) return std::nullopt;
    const bool is_optimizer = text == module_role_name(ModuleRole::optimizer);
    if (names->size() == 1 && !has_single_names && !is_optimizer) return std::nullopt;
    leave_out_wrappers(*names);
    return ModuleText{is_optimizer ? ModuleRole::optimizer : ModuleRole::other, true, std::move(*names)};
}

bool is_dotted_module_path(std::string_view text) {
    const auto names = names_of_path(text);
    return names && names->size() > 1 && is_module_path(*names);
}

}  // namespace snapviewer
