#pragma once

#include <glm/vec3.hpp>

namespace snapviewer {

/// The default background: red, green, blue.
inline constexpr glm::vec3 k_background{0x14 / 255.0F, 0x17 / 255.0F, 0x1c / 255.0F};

}  // namespace snapviewer
