#include "render/gl/buffer_texture.h"

#include <fmt/format.h>
#include <glad/gl.h>

namespace snapviewer::gl {
namespace {

GLenum format_of(Texel texel) {
    switch (texel) {
        case Texel::one_uint: return GL_R32UI;
        case Texel::two_uints: return GL_RG32UI;
        case Texel::four_uints: return GL_RGBA32UI;
    }
    return GL_R32UI;
}

}  // namespace

std::size_t BufferTexture::most_texels() {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &limit);
    return static_cast<std::size_t>(limit);
}

Status BufferTexture::upload(const char* what, const void* data, std::size_t count, Texel texel) {
    const std::size_t limit = most_texels();
    if (count > limit) {
        return Error{ErrorCode::environment,
                     fmt::format("the graphics driver holds at most {} entries in a table, the {} of this file need {}",
                                 limit, what, count)};
    }
    GLuint buffer = 0;
    GLuint texture = 0;
    glGenBuffers(1, &buffer);
    glGenTextures(1, &texture);
    buffer_ = BufferName(buffer);
    texture_ = TextureName(texture);
    size_bytes_ = count * sizeof(std::uint32_t) * static_cast<std::size_t>(texel);

    while (glGetError() != GL_NO_ERROR) {
    }
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(size_bytes_), data, GL_STATIC_DRAW);
    if (glGetError() != GL_NO_ERROR) {
        return Error{ErrorCode::environment,
                     fmt::format("the graphics driver has no memory for the {} ({} bytes)", what, size_bytes_)};
    }
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, format_of(texel), buffer);
    return {};
}

void BufferTexture::update(const void* data) {
    glBindBuffer(GL_TEXTURE_BUFFER, buffer_.get());
    glBufferSubData(GL_TEXTURE_BUFFER, 0, static_cast<GLsizeiptr>(size_bytes_), data);
}

void BufferTexture::bind(std::uint32_t unit) const {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_BUFFER, texture_.get());
}

}  // namespace snapviewer::gl
