#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "render/gl/name.h"

namespace snapviewer::gl {

/// What one element of a table is.
enum class Texel : std::uint8_t { one_uint = 1, two_uints = 2, four_uints = 4 };

/// What a table is to the driver: a buffer of any length, or a picture whose rows follow each other, since OpenGL ES 3.0 has
/// no such buffers.
enum class TableKind : std::uint8_t { buffer, picture };
/// Of all tables and of the shaders that read them. Pictures where the driver has nothing else, or where the environment
/// variable SNAPVIEWER_TABLES is "pictures", for tests. Needs a context; asked once.
TableKind table_kind();

/// A table of 32-bit integers that shaders read by index: `uniform table_t name;` and `fetch_table(name, index)`.
class Table {
public:
    /// The largest count that fits.
    static std::size_t most_texels();
    /// Fails with ErrorCode::environment above that; `what` names the table in the message.
    static Status check_length(const char* what, std::size_t count);
    static std::uint64_t size_of(std::size_t count, Texel texel) {
        return count * sizeof(std::uint32_t) * static_cast<std::size_t>(texel);
    }
    /// Makes room for count texels, replacing what was there; nothing can be said of what they hold. Fails with
    /// ErrorCode::environment when the driver has no room for them; `what` names the table in the message.
    Status reserve(const char* what, std::size_t count, Texel texel);
    /// Sends a part of the table, in whole texels.
    void update(std::uint64_t offset_bytes, const void* data, std::uint64_t size_bytes);
    /// The whole table at once: reserve() and update().
    Status upload(const char* what, const void* data, std::size_t count, Texel texel);
    void bind(std::uint32_t unit) const;

    std::uint64_t size_bytes() const { return size_bytes_; }
    std::size_t count() const { return size_bytes_ / size_of(1, texel_); }

private:
    void make_buffer();
    void make_picture();
    void update_picture(std::uint64_t first, const std::byte* data, std::uint64_t count);

    BufferName buffer_;
    TextureName texture_;
    Texel texel_ = Texel::one_uint;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace snapviewer::gl
