#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "render/gl/table.h"

namespace snapviewer::gl {

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

}  // namespace snapviewer::gl
