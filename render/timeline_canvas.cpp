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
    glm::vec3 background{0};
    std::uint64_t version = 0;
    bool operator==(const DrawnState&) const = default;
};

/// What the canvases of one picture have in common.
struct DrawnFrom {
    std::unique_ptr<TimelineRenderer> renderer;
    std::uint64_t version = 0;  ///< another one whenever it looks different
};

class GlTimelineCanvas final : public TimelineCanvas {
public:
    explicit GlTimelineCanvas(std::shared_ptr<DrawnFrom> source) : source_(std::move(source)) {}

    std::unique_ptr<TimelineCanvas> create_beside() const override { return std::make_unique<GlTimelineCanvas>(source_); }
    TimelineRenderer& renderer() override { return *source_->renderer; }
    bool update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) override;
    void copy_to_bound(int x_px, int y_px) const override;
    void invalidate() override { ++source_->version; }
    const std::string& trouble() const override { return trouble_; }

private:
    std::shared_ptr<DrawnFrom> source_;
    std::optional<OffscreenFramebuffer> target_;
    std::optional<DrawnState> drawn_;  ///< or tried to
    std::string trouble_;
};

bool GlTimelineCanvas::update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    // A panel that is folded away still asks for a picture.
    const DrawnState wanted{view,
                            axis,
                            std::max(width_px, 1),
                            std::max(height_px, 1),
                            highlighted,
                            source_->renderer->background(),
                            source_->version};
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
    source_->renderer->draw(view, axis, wanted.width_px, wanted.height_px, highlighted);
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
    return std::unique_ptr<TimelineCanvas>(
        std::make_unique<GlTimelineCanvas>(std::make_shared<DrawnFrom>(DrawnFrom{std::move(renderer).value(), 0})));
}

}  // namespace snapviewer
