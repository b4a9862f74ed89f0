#pragma once

#include <cstddef>
#include <string_view>

namespace snapviewer {

/// Whether bytes begin like a pickle.
bool looks_like_pickle(std::string_view front);

/// So many bytes suffice for behind_torch_save_number().
inline constexpr std::size_t k_torch_save_front = 32;

/// Where torch.save's old format, from before it wrote zips, goes on behind the pickle of the number that it begins with. 0
/// for any other file.
std::size_t behind_torch_save_number(std::string_view front);

}  // namespace snapviewer
