// Tests with a driver whose limits are smaller than a picture or a table needs.
#include <glad/gl.h>

#include "render/timeline_canvas.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

/// RAII: makes the driver report this limit.
class SmallDriver {
public:
    explicit SmallDriver(GLint most) : real_(glad_glGetIntegerv) {
        most_ = most;
        asked_ = real_;
        glad_glGetIntegerv = answer;
    }
    ~SmallDriver() { glad_glGetIntegerv = real_; }
    SmallDriver(const SmallDriver&) = delete;
    SmallDriver& operator=(const SmallDriver&) = delete;

private:
    static void GLAD_API_PTR answer(GLenum what, GLint* value) {
        asked_(what, value);
        if (what == GL_MAX_TEXTURE_SIZE || what == GL_MAX_TEXTURE_BUFFER_SIZE) *value = most_;
    }

    PFNGLGETINTEGERVPROC real_;
    static inline GLint most_ = 0;
    static inline PFNGLGETINTEGERVPROC asked_ = nullptr;
};

class SmallDriverTest : public PictureTest {
protected:
    std::shared_ptr<const Timeline> timeline_ = std::make_shared<const Timeline>(random_timeline(3, 2'000, 1 << 20));
    std::shared_ptr<const mesh::Mesh> mesh_ = std::make_shared<const mesh::Mesh>();
    std::vector<std::uint32_t> colours_ = distinct_colours(timeline_->allocation_count());
};

TEST_F(SmallDriverTest, APictureTooLargeIsToldAndDrawnOnceItFits) {
    auto canvas = render::TimelineCanvas::create();
    ASSERT_TRUE(canvas) << canvas.error().text();
    ASSERT_TRUE((*canvas)->renderer().begin_upload(timeline_, mesh_, colours_));
    const View all{0, static_cast<double>(timeline_->step_count()), 0, static_cast<double>(timeline_->peak_bytes())};
    const auto update = [&](int width_px) {
        return (*canvas)->update(all, Axis::steps, width_px, 20, AllocationId::none());
    };
    EXPECT_TRUE(update(60));
    {
        const SmallDriver driver(64);
        EXPECT_FALSE(update(100));
        EXPECT_EQ((*canvas)->error(),
                  "a picture of 100 x 20 pixels is not possible here; each side must be between 1 and 64");
        EXPECT_TRUE(update(64));
        EXPECT_EQ((*canvas)->error(), "");
        EXPECT_FALSE(update(65));
    }
    EXPECT_TRUE(update(66));
    EXPECT_EQ((*canvas)->error(), "");
}

TEST_F(SmallDriverTest, ATableTooLongIsToldAndWhatWasSentBeforeGoes) {
    ASSERT_TRUE(renderer_->begin_upload(timeline_, mesh_, colours_));
    const SmallDriver driver(64);
    const Status status = renderer_->begin_upload(timeline_, mesh_, colours_);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().text().find("holds at most 64 entries"), std::string::npos) << status.error().text();
    draw({0, static_cast<double>(timeline_->step_count()), 0, static_cast<double>(timeline_->peak_bytes())});
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(SmallDriverTest, TheIndexOfALongRecordingFitsAShorterTableAndDrawsTheSame) {
    const auto index_with = [this](std::uint32_t version_shift) {
        mesh::Mesh mesh;
        mesh.index = mesh::build_stack_index(timeline_->trace(), version_shift);
        return mesh;
    };
    const mesh::Mesh usual = index_with(2), long_recording = index_with(4);
    EXPECT_LT(3 * long_recording.index->nodes.size(), 2 * usual.index->nodes.size());
    const auto steps = static_cast<double>(timeline_->step_count());
    const auto bytes = static_cast<double>(timeline_->peak_bytes());
    for (const View& view : {View{0, steps, 0, bytes}, View{0.4 * steps, 0.45 * steps, 0.2 * bytes, 0.7 * bytes}}) {
        ASSERT_TRUE(renderer_->upload(*timeline_, usual, colours_));
        const render::Image expected = draw(view);
        ASSERT_TRUE(renderer_->upload(*timeline_, long_recording, colours_));
        EXPECT_EQ(draw(view).rgba, expected.rgba) << view.x_begin;
    }
}

}  // namespace
}  // namespace snapviewer::golden
