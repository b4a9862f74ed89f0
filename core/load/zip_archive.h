#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/progress.h"
#include "core/load/text_source.h"

struct zip;
struct zip_file;

namespace snapviewer {

bool looks_like_zip(std::span<const std::byte> bytes);

/// One zip file, read from memory that outlives it. Members throw ReadFailure.
class ZipArchive {
public:
    explicit ZipArchive(std::span<const std::byte> bytes);

    struct Member {
        std::string name;
        std::uint64_t index = 0;
        std::uint64_t size_bytes = 0;  ///< uncompressed, as the directory claims
    };
    const std::vector<Member>& members() const { return members_; }
    const Member* find(std::string_view name) const;

private:
    friend class ZipMemberReader;
    struct Discard {
        void operator()(zip* archive) const;
    };
    std::unique_ptr<zip, Discard> archive_;
    std::vector<Member> members_;
};

/// A member's bytes in order. A thread of its own inflates a few pieces ahead of whoever takes them; the text is never held
/// whole. Only one reader of an archive may exist at a time. Destroying it stops the thread.
class ZipMemberReader : public TextSource {
public:
    ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, Progress& progress);

    std::string_view next_piece() override;

private:
    static constexpr std::size_t k_pieces = 4;

    void inflate_ahead(const std::stop_token& stop);
    std::size_t inflate(std::vector<char>& piece);

    struct Close {
        void operator()(zip_file* file) const;
    };
    std::unique_ptr<zip_file, Close> file_;
    std::string name_;
    std::uint64_t size_bytes_;
    Progress& progress_;

    std::uint64_t inflated_bytes_ = 0;  ///< the thread's alone
    std::uint64_t taken_bytes_ = 0;     ///< the taker's alone

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
    std::jthread thread_;  ///< last: it ends before anything it uses
};

}  // namespace snapviewer
