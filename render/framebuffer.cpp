#include "render/framebuffer.h"

#include <fmt/format.h>
#include <glad/gl.h>
#include <png.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/output_file.h"

namespace snapviewer::render {
namespace {

void blit(const FramebufferBox& from, const FramebufferBox& to, GLenum filter) {
    glBlitFramebuffer(from.left, from.below, from.right(), from.top(), to.left, to.below, to.right(), to.top(),
                      GL_COLOR_BUFFER_BIT, filter);
}

}  // namespace

OffscreenFramebuffer::OffscreenFramebuffer(gl::FramebufferName framebuffer, gl::TextureName texture, int width_px,
                                           int height_px)
    : framebuffer_(std::move(framebuffer)), texture_(std::move(texture)), width_px_(width_px), height_px_(height_px) {}

Result<OffscreenFramebuffer> OffscreenFramebuffer::create(int width_px, int height_px) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width_px < 1 || height_px < 1 || width_px > limit || height_px > limit) {
        return Error{ErrorCode::environment,
                     fmt::format("a picture of {} x {} pixels is not possible here; each side must be between 1 and {}",
                                 width_px, height_px, limit)};
    }
    GLuint texture = 0;
    glGenTextures(1, &texture);
    gl::TextureName texture_name(texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width_px, height_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);

    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    gl::FramebufferName framebuffer_name(framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return Error{ErrorCode::environment,
                     fmt::format("the OpenGL driver cannot draw into a picture of {} x {} pixels", width_px, height_px)};
    }
    return OffscreenFramebuffer(std::move(framebuffer_name), std::move(texture_name), width_px, height_px);
}

void OffscreenFramebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get()); }

void OffscreenFramebuffer::copy_to_bound(const FramebufferBox& place, const FramebufferBox& cut) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.get());
    // glBlitFramebuffer() respects the scissor box, which is the one of the last draw call.
    const GLboolean was_cut = glIsEnabled(GL_SCISSOR_TEST);
    if (place.width_px == width_px_ && place.height_px == height_px_) {
        glDisable(GL_SCISSOR_TEST);  // Mesa's software rasterizers copy bytes only without the scissor test
        const FramebufferBox to = intersection_of(place, cut);
        if (!to.is_empty()) blit({to.left - place.left, to.below - place.below, to.width_px, to.height_px}, to, GL_NEAREST);
    } else {
        glEnable(GL_SCISSOR_TEST);
        glScissor(cut.left, cut.below, cut.width_px, cut.height_px);
        blit({0, 0, width_px_, height_px_}, place, GL_LINEAR);
    }
    (was_cut == GL_TRUE ? glEnable : glDisable)(GL_SCISSOR_TEST);
}

Status write_png(const Image& image, const std::string& path) {
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    description.format = PNG_FORMAT_RGBA;
    description.width = static_cast<png_uint_32>(image.width_px);
    description.height = static_cast<png_uint_32>(image.height_px);
    errno = 0;
    if (png_image_write_to_stdio(&description, file->stream(), 0, image.rgba.data(), 0, nullptr) == 0) {
        // libpng does not report the reason; errno does.
        return write_error(errno == 0 ? description.message : std::strerror(errno));
    }
    return file->commit();
}

Image read_framebuffer(int width_px, int height_px) {
    const auto row_bytes = static_cast<std::size_t>(width_px) * 4;
    Image image{width_px, height_px, {}};
    image.rgba.resize(row_bytes * static_cast<std::size_t>(height_px));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glReadPixels(0, 0, width_px, height_px, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
    for (auto top = image.rgba.begin(), bottom = image.rgba.end(); bottom - top > static_cast<std::ptrdiff_t>(row_bytes);) {
        bottom -= static_cast<std::ptrdiff_t>(row_bytes);
        std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row_bytes), bottom);
        top += static_cast<std::ptrdiff_t>(row_bytes);
    }
    // The alpha channel of a window is not part of the picture.
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    return image;
}

}  // namespace snapviewer::render
