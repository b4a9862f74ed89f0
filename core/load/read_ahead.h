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

/// What a reader unpacks, in order. A thread of its own unpacks a few pieces ahead of whoever takes them; nothing is ever
/// held whole. The reader belongs to that thread until the ReadAhead is destroyed, which stops it. Without threads a piece
/// is unpacked when it is taken.
class ReadAhead : public ByteSource {
public:
    explicit ReadAhead(ByteReader& reader);

    std::string_view next_piece() override;

private:
    static constexpr std::size_t k_pieces = 4;

    void read_on(const std::stop_token& stop);
    std::size_t read_into(std::vector<char>& piece);

    ByteReader& reader_;

    /// Piece i lies in ring_[i % k_pieces]. The thread fills it once piece i - k_pieces was given back.
    std::array<std::vector<char>, k_pieces> ring_;
    std::array<std::size_t, k_pieces> sizes_{};
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t filled_ = 0;
    std::uint64_t given_back_ = 0;
    bool holds_piece_ = false;  ///< the taker has piece given_back_
    bool at_end_ = false;
    std::exception_ptr failure_;
    std::jthread thread_;  ///< last: it ends before anything it uses; none in a program without threads
};

}  // namespace snapviewer
