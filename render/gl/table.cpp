#include "render/gl/table.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/mesh/gpu_format.h"
#include "render/gl/program.h"

namespace snapviewer::render::gl {
namespace {

constexpr std::uint64_t k_row = std::uint64_t{1} << mesh::gpu_format::k_table_row_bits;

/// OpenGL's constants for a texel.
struct TexelFormat {
    GLenum internal, external;
};

TexelFormat format_of(Texel texel) {
    if (texel == Texel::four_uints) return {GL_RGBA32UI, GL_RGBA_INTEGER};
    return texel == Texel::two_uints ? TexelFormat{GL_RG32UI, GL_RG_INTEGER} : TexelFormat{GL_R32UI, GL_RED_INTEGER};
}

GLenum target() { return table_kind() == TableKind::buffer ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D; }

}  // namespace

TableKind table_kind() {
    static const TableKind kind = [] {
        const char* wanted = std::getenv("SNAPVIEWER_TABLES");
        const bool wants_pictures = wanted != nullptr && std::string_view(wanted) == "pictures";
        return wants_pictures || is_embedded_driver() ? TableKind::picture : TableKind::buffer;
    }();
    return kind;
}

Status Table::check_length(const char* what, std::size_t count) {
    const bool is_buffer = table_kind() == TableKind::buffer;
    GLint size = 0;
    glGetIntegerv(is_buffer ? GL_MAX_TEXTURE_BUFFER_SIZE : GL_MAX_TEXTURE_SIZE, &size);
    // Indices in shaders have the type int.
    const auto limit = std::min<std::uint64_t>(static_cast<std::uint64_t>(size) * (is_buffer ? 1 : k_row),
                                               std::numeric_limits<std::int32_t>::max());
    if (count <= limit) return {};
    return Error{ErrorCode::environment,
                 fmt::format("the graphics driver holds at most {} entries in a table, but the {} of this file need {}",
                             limit, what, count)};
}

Status Table::reserve(const char* what, std::size_t count, Texel texel) {
    if (Status status = check_length(what, count); !status) return status;
    texel_ = texel;
    size_bytes_ = size_of(count, texel);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    texture_ = TextureName(texture);
    while (glGetError() != GL_NO_ERROR) {
    }
    if (table_kind() == TableKind::buffer)
        make_buffer();
    else
        make_picture();
    if (glGetError() != GL_NO_ERROR) {
        return Error{ErrorCode::environment,
                     fmt::format("the graphics driver has no memory for the {} ({} bytes)", what, size_bytes_)};
    }
    return {};
}

void Table::make_buffer() {
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    buffer_ = BufferName(buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(size_bytes_), nullptr, GL_STATIC_DRAW);
    glBindTexture(GL_TEXTURE_BUFFER, texture_.get());
    glTexBuffer(GL_TEXTURE_BUFFER, format_of(texel_).internal, buffer);
}

/// An empty table also has a texel, because a sampler without a texture is an error.
void Table::make_picture() {
    const auto [internal, external] = format_of(texel_);
    const auto width = static_cast<GLsizei>(std::clamp<std::uint64_t>(count(), 1, k_row));
    const auto height = static_cast<GLsizei>(std::max<std::uint64_t>((count() + k_row - 1) / k_row, 1));
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), width, height, 0, external, GL_UNSIGNED_INT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void Table::update(std::uint64_t offset_bytes, const void* data, std::uint64_t size_bytes) {
    if (table_kind() == TableKind::picture) {
        const std::uint64_t texel_bytes = size_of(1, texel_);
        update_picture(offset_bytes / texel_bytes, static_cast<const std::byte*>(data), size_bytes / texel_bytes);
        return;
    }
    glBindBuffer(GL_TEXTURE_BUFFER, buffer_.get());
    glBufferSubData(GL_TEXTURE_BUFFER, static_cast<GLintptr>(offset_bytes), static_cast<GLsizeiptr>(size_bytes), data);
}

/// Updates the rest of a row, then whole rows, then the beginning of a row.
void Table::update_picture(std::uint64_t first, const std::byte* data, std::uint64_t count) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_.get());
    while (count > 0) {
        const std::uint64_t column = first % k_row;
        const std::uint64_t rows = column == 0 ? std::max<std::uint64_t>(count / k_row, 1) : 1;
        const std::uint64_t width = std::min(count, k_row - column);
        glTexSubImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(column), static_cast<GLint>(first / k_row),
                        static_cast<GLsizei>(width), static_cast<GLsizei>(rows), format_of(texel_).external, GL_UNSIGNED_INT,
                        data);
        first += width * rows;
        count -= width * rows;
        data += size_of(width * rows, texel_);
    }
}

Status Table::upload(const char* what, const void* data, std::size_t count, Texel texel) {
    Status status = reserve(what, count, texel);
    if (status) update(0, data, size_bytes_);
    return status;
}

void Table::bind(std::uint32_t unit) const {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target(), texture_.get());
}

namespace {

/// A software rasterizer takes about half a millisecond for a slice, because it copies into new pages.
constexpr std::uint64_t k_slice_bytes = std::uint64_t{512} << 10;

}  // namespace

Status UploadQueue::add(Table& table, const char* what, const void* data, std::size_t count, Texel texel) {
    Status status = Table::check_length(what, count);
    if (!status) return status;
    jobs_.push_back({&table, what, static_cast<const std::byte*>(data), count, texel, Table::size_of(count, texel)});
    total_bytes_ += jobs_.back().size_bytes;
    return {};
}

Status UploadQueue::send(std::chrono::microseconds at_most) {
    const auto deadline = std::chrono::steady_clock::now() + at_most;
    while (waiting() > 0) {
        Status status = send_slice();
        if (!status || std::chrono::steady_clock::now() >= deadline) return status;
    }
    return {};
}

Status UploadQueue::send_slice() {
    Job& job = jobs_[next_];
    // The table is allocated only now, because some drivers fill it with zeros.
    Status status = job.sent_bytes == 0 ? job.table->reserve(job.what, job.count, job.texel) : Status{};
    const std::uint64_t rest_bytes = job.size_bytes - job.sent_bytes;
    const std::uint64_t slice_bytes = status ? std::min(k_slice_bytes, rest_bytes) : rest_bytes;
    if (status) job.table->update(job.sent_bytes, job.data + job.sent_bytes, slice_bytes);
    job.sent_bytes += slice_bytes;
    sent_bytes_ += slice_bytes;
    if (job.sent_bytes == job.size_bytes) ++next_;
    return status;
}

}  // namespace snapviewer::render::gl
