#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "render/gl/objects.h"

namespace snapviewer::render::gl {

/// The element type of a table.
enum class Texel : std::uint8_t { one_uint = 1, two_uints = 2, four_uints = 4 };

/// The OpenGL object behind a table: a buffer texture, or a two-dimensional texture whose rows follow each other, because
/// OpenGL ES 3.0 has no buffer textures.
enum class TableKind : std::uint8_t { buffer, picture };
/// Returns the kind of all tables and of the shaders that read them: pictures if the driver has no buffer textures, or for
/// tests if the environment variable SNAPVIEWER_TABLES is "pictures". Needs a context. Determined at the first call.
TableKind table_kind();

/// A table of 32-bit integers that shaders read by index: `uniform table_t name;` and `fetch_table(name, index)`.
class Table {
public:
    /// Fails with ErrorCode::environment if the driver has no tables of that length. `what` names the table in the message.
    static Status check_length(const char* what, std::size_t count);
    static std::uint64_t size_of(std::size_t count, Texel texel) {
        return count * sizeof(std::uint32_t) * static_cast<std::size_t>(texel);
    }
    /// Replaces the table by one of `count` texels with undefined contents. Fails with ErrorCode::environment if the driver
    /// has no memory for them. `what` names the table in the message.
    Status reserve(const char* what, std::size_t count, Texel texel);
    /// Sends a part of the table, in whole texels.
    void update(std::uint64_t offset_bytes, const void* data, std::uint64_t size_bytes);
    /// Replaces the table and its contents: reserve() and update().
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

/// Uploads of tables that are sent in slices, so that no frame waits for all of them.
class UploadQueue {
public:
    /// Adds a table, which send() processes in the order of the calls. The table and `data` must not move until the upload
    /// is complete. Fails with ErrorCode::environment if the driver has no tables of that length.
    Status add(Table& table, const char* what, const void* data, std::size_t count, Texel texel);
    /// Sends slices for about `at_most`, but at least one slice. If Table::reserve() fails, skips the table and returns the
    /// error.
    Status send(std::chrono::microseconds at_most);

    /// Number of incomplete tables.
    std::size_t waiting() const { return jobs_.size() - next_; }
    std::uint64_t sent_bytes() const { return sent_bytes_; }
    std::uint64_t total_bytes() const { return total_bytes_; }

private:
    struct Job {
        Table* table;
        const char* what;
        const std::byte* data;
        std::size_t count;
        Texel texel;
        std::uint64_t size_bytes;
        std::uint64_t sent_bytes = 0;
    };

    Status send_slice();

    std::vector<Job> jobs_;
    std::size_t next_ = 0;
    std::uint64_t sent_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace snapviewer::render::gl
