#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "render/gl/table.h"

namespace snapviewer::gl {

/// Bytes on their way into tables, sent in slices so that no frame has to wait for all of them.
class UploadQueue {
public:
    /// Leaves a table to send(), which takes them in the order of the calls. The table and what `data` points to must stay
    /// where they are until then. Fails with ErrorCode::environment when the driver takes no table of that length.
    Status add(Table& table, const char* what, const void* data, std::size_t count, Texel texel);
    /// Sends for about as long as given, one slice at least. Fails as Table::reserve; the table is skipped then.
    Status send(std::chrono::microseconds at_most);

    /// Tables that are not complete.
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
