#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/progress.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// A byte source that unpacks on a background thread, a few pieces ahead of the consumer. Only those pieces are in memory.
/// The thread alone uses `reader` until the destructor stops it. In a program without threads, next_piece() unpacks a piece
/// itself.
class ReadAhead : public ByteSource {
public:
    explicit ReadAhead(ByteReader& reader);

    std::string_view next_piece() override;

private:
    static constexpr std::size_t k_pieces = 4;

    void read_on(const std::stop_token& stop);
    std::size_t read_into(std::vector<char>& piece);

    ByteReader& reader_;

    /// Ring buffer: piece i lies in ring_[i % k_pieces]. The thread fills it after piece i - k_pieces was given back.
    std::array<std::vector<char>, k_pieces> ring_;
    std::array<std::size_t, k_pieces> sizes_{};
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t filled_ = 0;
    std::uint64_t given_back_ = 0;
    bool holds_piece_ = false;  ///< True while the consumer uses piece number given_back_
    bool at_end_ = false;
    std::exception_ptr failure_;
    /// Declared last, so that it ends before the members that it uses; not started in a program without threads.
    std::jthread thread_;
};

}  // namespace snapviewer
