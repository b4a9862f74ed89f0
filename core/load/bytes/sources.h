#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/load/bytes/byte_source.h"

namespace snapviewer {

/// Reads a mapped file in pieces, which are contiguous in memory and stay valid. Throws if the work is to stop, and gives
/// the pages of all but the newest piece back to the system. Reports progress, unless `reports_progress` is false because
/// another reader of the same load reports it.
class MappedSource : public ByteSource {
public:
    explicit MappedSource(MappedFile& file, bool reports_progress = true)
        : file_(file), reports_progress_(reports_progress) {}

    std::string_view next_piece() override;
    bool has_contiguous_pieces() const override { return true; }

private:
    MappedFile& file_;
    bool reports_progress_;
    std::size_t at_ = 0;
};

/// A byte source with look-ahead: its first bytes can be examined before they are read.
class PeekedSource : public ByteSource {
public:
    explicit PeekedSource(ByteSource& inner);

    /// Returns the first bytes, at least k_min_front_bytes unless the source is shorter. Valid until the next call of
    /// next_piece().
    std::string_view front() const { return front_; }
    std::string_view next_piece() override;
    bool has_contiguous_pieces() const override { return joined_.empty() && inner_.has_contiguous_pieces(); }

    static constexpr std::size_t k_min_front_bytes = 512;

private:
    ByteSource& inner_;
    std::string_view front_;
    std::string joined_;  ///< Copy of the first pieces, if the first one alone is shorter than k_min_front_bytes
    bool is_front_returned_ = false;
    std::exception_ptr failure_;
};

/// The bytes of standard input as they arrive. Blocks until more arrive, but throws within 100 ms if the work is to stop.
/// Every piece counts as part of the file for the budget of the load.
class StandardInputSource : public ByteSource {
public:
    /// Claims standard input, which can be read only once. Fails if it was claimed before, or if it is a terminal, where a
    /// person would have to type a snapshot.
    static Status take();

    /// Precondition: take() succeeded.
    explicit StandardInputSource();

    std::string_view next_piece() override;
    /// Total size in bytes if standard input is a file, else 0.
    std::uint64_t expected_bytes() const { return expected_bytes_; }

private:
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::vector<char> buffer_;
};

/// A byte source that unpacks on a background thread, a few pieces ahead of the consumer. Only those pieces are in memory.
/// The thread alone uses `reader` until the destructor stops it. In a program without threads, next_piece() unpacks a piece
/// itself.
class ReadAhead : public ByteSource {
public:
    explicit ReadAhead(ByteReader& reader);

    std::string_view next_piece() override;

private:
    static constexpr std::size_t k_pieces_ahead = 4;

    void read_on(const std::stop_token& stop);
    std::size_t read_into(std::vector<char>& piece);

    ByteReader& reader_;

    /// Ring buffer: piece i lies in ring_[i % k_pieces_ahead]. The thread fills it after piece i - k_pieces_ahead was given
    /// back.
    std::array<std::vector<char>, k_pieces_ahead> ring_;
    std::array<std::size_t, k_pieces_ahead> sizes_{};
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

/// Reads the rest of a source, because unpackers verify their data at the end. Returns the damage that was found, or
/// nullopt. Stops without an error if the budget of the load is used up. Throws Failure if the source fails for another
/// reason.
std::optional<Failure> read_to_end(ByteSource& source);

}  // namespace snapviewer
