#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/load/byte_source.h"

struct zip;
struct zip_file;

namespace snapviewer {

bool looks_like_zip(std::string_view front);

/// One zip file, read from memory that outlives it. Members throw Failure.
class ZipArchive {
public:
    explicit ZipArchive(std::span<const std::byte> bytes);
    ~ZipArchive();

    struct Member {
        std::string name;
        std::uint64_t index = 0;
        std::uint64_t size_bytes = 0;  ///< uncompressed, as the directory claims
        std::string why_not = {};  ///< it cannot be unpacked, if that is known in advance: "is compressed with PPMd, ..."
    };
    const std::vector<Member>& members() const { return members_; }
    /// The first whose name, without folders, is this.
    const Member* find(std::string_view name) const;
    std::span<const std::byte> bytes() const { return bytes_; }  ///< of the zip itself

private:
    friend class ZipMemberReader;
    class Packed;
    struct Discard {
        void operator()(zip* archive) const;
    };
    std::unique_ptr<Packed> packed_;  ///< what libzip reads; outlives it
    std::unique_ptr<zip, Discard> archive_;
    std::vector<Member> members_;
    std::map<std::string, std::size_t, std::less<>> by_name_;  ///< without folders
    std::span<const std::byte> bytes_;
};

/// Unpacks one member, and reports how much is unpacked, unless something else does. Only one reader of an archive may exist
/// at a time.
class ZipMemberReader : public ByteReader {
public:
    ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, bool tells_progress = true);
    ~ZipMemberReader() override;

    std::size_t read(std::span<char> room) override;

private:
    class PackedMember;
    static std::unique_ptr<ByteReader> unpacker_for(int method, ByteSource& packed);
    std::size_t unpack(std::span<char> room);
    [[noreturn]] void fail_damaged(const char* how) const;

    struct Close {
        void operator()(zip_file* file) const;
    };
    std::unique_ptr<zip_file, Close> file_;
    /// Of methods that libzip leaves to us: the packed bytes and what unpacks them.
    std::unique_ptr<PackedMember> packed_;
    std::unique_ptr<ByteReader> unpacker_;
    std::optional<std::uint32_t> checksum_;  ///< what it should be, where that is left to us
    std::uint32_t checksum_so_far_ = 0;
    std::string name_;
    std::uint64_t size_bytes_;
    std::uint64_t inflated_bytes_ = 0;
    bool tells_progress_;
};

}  // namespace snapviewer
