#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "render/gl/name.h"

namespace snapviewer::gl {

/// What one element of a buffer texture is.
enum class Texel : std::uint8_t { one_uint = 1, two_uints = 2, four_uints = 4 };

/// A table of 32-bit integers that shaders read by index (usamplerBuffer).
class BufferTexture {
public:
    /// The largest count that upload() takes.
    static std::size_t most_texels();
    /// Sends count texels, replacing what was there. Fails with ErrorCode::environment when the driver has no room for them;
    /// `what` names the table in the message.
    Status upload(const char* what, const void* data, std::size_t count, Texel texel);
    /// Sends the same number of texels as before into the same storage.
    void update(const void* data);
    void bind(std::uint32_t unit) const;

    std::uint64_t size_bytes() const { return size_bytes_; }

private:
    BufferName buffer_;
    TextureName texture_;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace snapviewer::gl
