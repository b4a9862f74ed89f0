#pragma once

#include <cstddef>

#include "app/ui/plain_fills.h"
#include "app/ui/still_parts.h"

namespace snapviewer {

/// Draws what ImGui was told of a frame. Main thread; needs the OpenGL context that was current at its construction, also at
/// its end.
class FramePainter {
public:
    /// After ImGui::Render(): the whole window into the bound framebuffer of this size.
    void paint(int width_px, int height_px);
    std::size_t kept_parts() const { return still_parts_.kept(); }

private:
    StillParts still_parts_;
    PlainFills plain_fills_;
};

}  // namespace snapviewer
