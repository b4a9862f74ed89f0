#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"

struct zip;

namespace snapviewer::bytes {

bool looks_like_zip(std::string_view front);

/// A zip file in memory, which must outlive this. Member functions throw Failure.
class ZipArchive {
public:
    explicit ZipArchive(std::span<const std::byte> bytes);
    ~ZipArchive();

    struct Member {
        std::string name;
        std::uint64_t index = 0;
        std::uint64_t size_bytes = 0;  ///< Uncompressed size that the zip's directory states
        /// Reason why the member cannot be unpacked, such as "is compressed with PPMd, ..."; empty if none is known.
        std::string why_not = {};
    };
    const std::vector<Member>& members() const { return members_; }
    /// Returns the first member with this name, ignoring folders. Returns null if there is none.
    const Member* find(std::string_view name) const;
    std::span<const std::byte> bytes() const { return bytes_; }  ///< Bytes of the zip file itself

private:
    friend class ZipMemberReader;
    class Packed;
    struct Discard {
        void operator()(zip* archive) const;
    };
    std::unique_ptr<Packed> packed_;  ///< Source that libzip reads; outlives archive_
    std::unique_ptr<zip, Discard> archive_;
    std::vector<Member> members_;
    std::span<const std::byte> bytes_;
};

/// Unpacks one member. Reports progress, unless `reports_progress` is false because another reader reports it. Only one
/// reader of an archive may exist at a time.
class ZipMemberReader : public ByteReader {
public:
    ZipMemberReader(ZipArchive& archive, const ZipArchive::Member& member, bool reports_progress = true);
    ~ZipMemberReader() override;

    std::size_t read(std::span<char> buffer) override;

private:
    class Packed;
    std::size_t unpack(std::span<char> buffer);

    std::unique_ptr<Packed> packed_;
    std::unique_ptr<ByteReader> unpacker_;   ///< Unpacker; null if the member is stored without compression
    std::optional<std::uint32_t> checksum_;  ///< Expected CRC-32
    std::uint32_t checksum_so_far_ = 0;
    std::string name_;
    std::uint64_t size_bytes_;
    std::uint64_t inflated_bytes_ = 0;
    bool reports_progress_;
};

}  // namespace snapviewer::bytes
