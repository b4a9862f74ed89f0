// Tests uploading a picture to the graphics card in slices, and the screen contents meanwhile.
#include <algorithm>

#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

class SlicedUpload : public PictureTest {
protected:
    void begin() {
        timeline_ = std::make_shared<const Timeline>(random_timeline(3, 20'000, 1 << 20));
        mesh_ = std::make_shared<const mesh::Mesh>(mesh::build_mesh(*timeline_));
        colours_ = distinct_colours(timeline_->allocation_count());
        const auto end = static_cast<double>(timeline_->step_count());
        const auto top = static_cast<double>(timeline_->peak_bytes());
        all_ = {0, end, 0, top};
        const Status status = renderer_->begin_upload(timeline_, mesh_, colours_);
        ASSERT_TRUE(status) << status.error().text();
    }

    void send_slice() { ASSERT_TRUE(renderer_->continue_upload(std::chrono::microseconds(0))); }

    static bool is_empty(const render::Image& image) {
        for (int x = 0; x < k_width_px; x += 7) {
            for (int y = 0; y < k_height_px; y += 7) {
                if (pixel_at(image, x, y) != k_background) return false;
            }
        }
        return true;
    }

    std::shared_ptr<const Timeline> timeline_;
    std::shared_ptr<const mesh::Mesh> mesh_;
    std::vector<std::uint32_t> colours_;
    View all_;
};

TEST_F(SlicedUpload, DrawsNothingUntilAllIsThere) {
    ASSERT_NO_FATAL_FAILURE(begin());
    int slices = 0;
    while (!renderer_->upload_progress().is_done()) {
        ASSERT_TRUE(is_empty(draw(all_))) << slices;
        send_slice();
        ASSERT_LT(++slices, 1000);
    }
    EXPECT_GT(slices, 2);
    const render::Image late = draw(all_);
    EXPECT_FALSE(is_empty(late));
    const auto at_once = render::TimelineRenderer::create();
    ASSERT_TRUE(at_once);
    ASSERT_TRUE((*at_once)->upload(*timeline_, *mesh_, colours_));
    EXPECT_EQ((*at_once)->stats().uploaded_bytes, renderer_->stats().uploaded_bytes);
    (*at_once)->draw(all_, Axis::steps, k_width_px, k_height_px, AllocationId::none());
    EXPECT_TRUE(render::read_framebuffer(k_width_px, k_height_px).rgba == late.rgba);
}

TEST_F(SlicedUpload, KeepsWhatItSendsFromAndLetsGoOfItAfterwards) {
    ASSERT_NO_FATAL_FAILURE(begin());
    const std::weak_ptr<const mesh::Mesh> mesh = mesh_;
    const std::weak_ptr<const Timeline> timeline = timeline_;
    mesh_.reset();
    timeline_.reset();
    send_slice();
    EXPECT_FALSE(mesh.expired());
    while (!renderer_->upload_progress().is_done()) send_slice();
    EXPECT_TRUE(mesh.expired());
    EXPECT_TRUE(timeline.expired());
    EXPECT_FALSE(is_empty(draw(all_)));
}

TEST_F(SlicedUpload, AnotherPictureOrNoneEndsIt) {
    ASSERT_NO_FATAL_FAILURE(begin());
    send_slice();
    renderer_->clear();
    EXPECT_TRUE(renderer_->upload_progress().is_done());
    send_slice();
    EXPECT_TRUE(is_empty(draw(all_)));
    ASSERT_NO_FATAL_FAILURE(begin());
    send_slice();
    ASSERT_NO_FATAL_FAILURE(begin());
    while (!renderer_->upload_progress().is_done()) send_slice();
    EXPECT_FALSE(is_empty(draw(all_)));
}

}  // namespace
}  // namespace snapviewer::golden
