#include "render/gl/upload_queue.h"

#include <algorithm>

namespace snapviewer::gl {
namespace {

/// A software rasterizer takes about half a millisecond for a slice, because it copies into new pages.
constexpr std::uint64_t k_slice_bytes = std::uint64_t{512} << 10;

}  // namespace

Status UploadQueue::add(Table& table, const char* what, const void* data, std::size_t count, Texel texel) {
    Status status = Table::check_length(what, count);
    if (!status) return status;
    const Job& job = jobs_.emplace_back(
        Job{&table, what, static_cast<const std::byte*>(data), count, texel, Table::size_of(count, texel)});
    total_bytes_ += job.size_bytes;
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

}  // namespace snapviewer::gl
