#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/load/failure.h"

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

/// A member's bytes in order, inflated piece by piece: the text is never held whole.
class ZipMemberReader {
public:
    ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, Progress& progress);

    /// The next byte, or -1 at the end.
    int peek() { return at_ != end_ ? static_cast<unsigned char>(*at_) : refill(); }
    void advance() { ++at_; }
    std::uint64_t offset() const { return buffer_offset_ + static_cast<std::uint64_t>(at_ - buffer_.data()); }
    const std::string& name() const { return name_; }

private:
    int refill();

    struct Close {
        void operator()(zip_file* file) const;
    };
    std::unique_ptr<zip_file, Close> file_;
    std::string name_;
    std::uint64_t size_bytes_;
    Progress& progress_;
    std::vector<char> buffer_;
    std::uint64_t buffer_offset_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

/// ZipMemberReader as the pair of input iterators that a JSON parser takes.
class ZipMemberIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    ZipMemberIterator() = default;
    explicit ZipMemberIterator(ZipMemberReader& reader) : reader_(&reader) {}
    char operator*() const { return static_cast<char>(reader_->peek()); }
    ZipMemberIterator& operator++() {
        reader_->advance();
        return *this;
    }
    ZipMemberIterator operator++(int) {
        ZipMemberIterator before = *this;
        ++*this;
        return before;
    }
    /// Only comparison with the end makes sense, as with every input iterator.
    bool operator==(const ZipMemberIterator& other) const { return at_end() == other.at_end(); }

private:
    bool at_end() const { return reader_ == nullptr || reader_->peek() < 0; }
    ZipMemberReader* reader_ = nullptr;
};

}  // namespace snapviewer
