#pragma once

namespace snapviewer {

/// What is behind the allocations: red, green, blue.
inline constexpr float k_background[3] = {0x14 / 255.0F, 0x17 / 255.0F, 0x1c / 255.0F};

}  // namespace snapviewer
