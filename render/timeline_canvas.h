#pragma once

#include <cstdint>
#include <memory>

#include "render/timeline_renderer.h"

namespace snapviewer {

/// The picture as a texture that is drawn again only when something about it changed.
class TimelineCanvas {
public:
    static Result<std::unique_ptr<TimelineCanvas>> create();
    virtual ~TimelineCanvas() = default;

    virtual TimelineRenderer& renderer() = 0;
    /// Brings the texture up to date. Returns whether it had to be drawn. Cheap when nothing changed.
    virtual bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) = 0;
    /// GL name of the texture, row 0 at the bottom; valid until the next update().
    virtual std::uint32_t texture() const = 0;
    /// Forces the next update() to draw: after the mesh or the colours changed, or more of them arrived.
    virtual void invalidate() = 0;
};

}  // namespace snapviewer
