#include "render/timeline_canvas.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "render/gl/framebuffer_binding_guard.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {
namespace {

struct DrawnState {
    View view;
    Axis axis = Axis::steps;
    int width_px = 0;
    int height_px = 0;
    AllocationId highlighted;
    bool operator==(const DrawnState&) const = default;
};

class GlTimelineCanvas final : public TimelineCanvas {
public:
    explicit GlTimelineCanvas(std::unique_ptr<TimelineRenderer> renderer) : renderer_(std::move(renderer)) {}

    TimelineRenderer& renderer() override { return *renderer_; }
    bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) override;
    void copy_to_bound(int x_px, int y_px) const override;
    void invalidate() override { drawn_.reset(); }
    const std::string& trouble() const override { return trouble_; }

private:
    std::unique_ptr<TimelineRenderer> renderer_;
    std::optional<OffscreenFramebuffer> target_;
    std::optional<DrawnState> drawn_;  ///< or tried to
    std::string trouble_;
};

bool GlTimelineCanvas::update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    // A panel that is folded away still asks for a picture.
    const DrawnState wanted{view, axis, std::max(width_px, 1), std::max(height_px, 1), highlighted};
    if (drawn_ == wanted) return false;
    const gl::FramebufferBindingGuard guard;
    if (!target_ || target_->width_px() != wanted.width_px || target_->height_px() != wanted.height_px) {
        auto target = OffscreenFramebuffer::create(wanted.width_px, wanted.height_px);
        target_.reset();
        trouble_ = target ? "" : target.error().message;
        if (target) target_ = std::move(target).value();
    }
    drawn_ = wanted;
    if (!target_) return false;
    target_->bind();
    renderer_->draw(view, axis, wanted.width_px, wanted.height_px, highlighted);
    return true;
}

void GlTimelineCanvas::copy_to_bound(int x_px, int y_px) const {
    if (!target_) return;
    const gl::FramebufferBindingGuard guard;
    target_->copy_to_bound(x_px, y_px);
}

}  // namespace

Result<std::unique_ptr<TimelineCanvas>> TimelineCanvas::create() {
    auto renderer = TimelineRenderer::create();
    if (!renderer) return renderer.error();
    return std::unique_ptr<TimelineCanvas>(std::make_unique<GlTimelineCanvas>(std::move(renderer).value()));
}

}  // namespace snapviewer
