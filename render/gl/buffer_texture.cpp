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

Status BufferTexture::check_length(const char* what, std::size_t count) {
    const std::size_t limit = most_texels();
    if (count > limit) {
        return Error{ErrorCode::environment,
                     fmt::format("the graphics driver holds at most {} entries in a table, but the {} of this file need {}",
                                 limit, what, count)};
    }
    return {};
}

Status BufferTexture::reserve(const char* what, std::size_t count, Texel texel) {
    if (Status status = check_length(what, count); !status) return status;
    GLuint buffer = 0;
    GLuint texture = 0;
    glGenBuffers(1, &buffer);
    glGenTextures(1, &texture);
    buffer_ = BufferName(buffer);
    texture_ = TextureName(texture);
    size_bytes_ = size_of(count, texel);

    while (glGetError() != GL_NO_ERROR) {
    }
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(size_bytes_), nullptr, GL_STATIC_DRAW);
    if (glGetError() != GL_NO_ERROR) {
        return Error{ErrorCode::environment,
                     fmt::format("the graphics driver has no memory for the {} ({} bytes)", what, size_bytes_)};
    }
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, format_of(texel), buffer);
    return {};
}

void BufferTexture::update(std::uint64_t offset_bytes, const void* data, std::uint64_t size_bytes) {
    glBindBuffer(GL_TEXTURE_BUFFER, buffer_.get());
    glBufferSubData(GL_TEXTURE_BUFFER, static_cast<GLintptr>(offset_bytes), static_cast<GLsizeiptr>(size_bytes), data);
}

Status BufferTexture::upload(const char* what, const void* data, std::size_t count, Texel texel) {
    Status status = reserve(what, count, texel);
    if (status) update(0, data, size_bytes_);
    return status;
}

void BufferTexture::bind(std::uint32_t unit) const {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_BUFFER, texture_.get());
}

}  // namespace snapviewer::gl
