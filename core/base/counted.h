#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// A number with its noun, of which `noun` is the singular: "1 block", "1,234 blocks".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace snapviewer
